import { loopClient } from "@ccw-loop/api/client";
import type { LoopService, SummaryChange, SummaryList } from "@ccw-loop/core";
import { type LoopRow, type Loops, noLoops, pause } from "@ccw-loop/view";
import { clientOptions, host, isOneProject } from "../parts/server.ts";
import { Store } from "../parts/store.ts";
import { type Feed, feedOf, own, shared } from "./feed.ts";

export type Project = Awaited<ReturnType<typeof host.projects>>[number];

/** The projects of the server. */
export const projects = new Store<readonly Project[]>([]);

export async function readProjects(): Promise<void> {
  projects.set(await host.projects().catch(() => projects.get()));
}

/**
 * The loops of home: at the server's own address those of all its projects, where there are several, with ids `PROJECT/ID`;
 * at the address of a project, and where it is the only one, its own.
 */
export const everywhere = new Store<Loops>(noLoops);

/** Keeps them up to date until it is called off. */
export const keepEverywhere = shared(() => {
  let leave: (() => void)[] = [];
  const end = () => {
    for (const one of leave.splice(0)) one();
  };
  const begin = () => {
    end();
    const shown = areTogether() ? projects.get().map(placedFeed) : [];
    const feeds = shown.length > 0 ? shown : [own];
    const tell = () => everywhere.set(joined(feeds.map(({ known }) => known.get())));
    leave = feeds.flatMap(({ known, keep }) => [keep(), known.subscribe(tell)]);
    tell();
  };
  const unsubscribe = projects.subscribe(begin);
  begin();
  return () => {
    unsubscribe();
    end();
  };
});

/** Whether home shows the loops of several projects together. */
export function areTogether(): boolean {
  return !isOneProject && projects.get().length > 1;
}

/** Where the page of a loop of home is, as an address; its project's name, where home shows several. */
export function placeOf(id: string): { project: string | null; id: string; path: string } {
  const [, project = null, plain = id] = /^(.+)\/(.+)$/.exec(id) ?? [];
  const within = project === null ? "" : `/projects/${project}/`;
  return { project, id: plain, path: `${within}loops/${encodeURIComponent(plain)}` };
}

function joined(all: readonly Loops[]): Loops {
  const [first = noLoops] = all;
  if (all.length === 1) return first;
  return {
    rows: new Map(all.flatMap(({ rows }) => [...rows])),
    total: all.reduce((sum, { total }) => sum + total, 0),
    damaged: all.flatMap(({ damaged }) => damaged),
    complete: all.every(({ complete }) => complete),
  };
}

const placedFeeds = new Map<string, Feed>();

/** The loops of a project with its name before their ids. */
function placedFeed({ name, path }: Project): Feed {
  const found = placedFeeds.get(name);
  if (found) return found;
  const { known: plain, keep } = feedOf(asking(loopClient(clientOptions(path))));
  const known = new Store(noLoops);
  const rows = new WeakMap<LoopRow, LoopRow>();
  const placed = (row: LoopRow) => {
    const haystack = `${name.toLowerCase()}\n${row.haystack}`;
    const made = rows.get(row) ?? { ...row, id: `${name}/${row.id}`, haystack };
    rows.set(row, made);
    return made;
  };
  plain.subscribe(() => {
    const loops = plain.get();
    known.set({
      ...loops,
      rows: new Map([...loops.rows.values()].map(placed).map((row) => [row.id, row])),
      damaged: loops.damaged.map((one) => ({ ...one, id: `${name}/${one.id}` })),
    });
  });
  const feed = { known, keep };
  placedFeeds.set(name, feed);
  return feed;
}

const ASK_MS = 1000;
/** More changes than this between two looks are not told one by one. */
const NEWEST = 50;

/**
 * The service with changes that are asked for: a browser opens six connections to a server for all of its tabs together, so not
 * every project can have a stream.
 */
function asking(service: LoopService): LoopService {
  async function* summaryChanges(signal: AbortSignal): AsyncGenerator<SummaryChange> {
    let before: SummaryList | null = null;
    for (; !signal.aborted; await pause(ASK_MS, signal)) {
      const now: SummaryList = await service.summaries({ limit: NEWEST });
      const fresh = before === null ? [] : changedSince(before, now);
      // Whoever follows reads everything anew.
      if (fresh === null) return;
      for (const summary of fresh) yield { id: summary.id, summary };
      before = now;
    }
  }
  return { ...service, summaryChanges };
}

/** What is new among the newest; null where more may have changed, or some were deleted. */
function changedSince(before: SummaryList, now: SummaryList): SummaryList["loops"] | null {
  const revisions = new Map(before.loops.map(({ id, revision }) => [id, revision]));
  const fresh = now.loops.filter(({ id, revision }) => revisions.get(id) !== revision);
  const since = before.loops[0]?.updated_at ?? "";
  const made = fresh.filter(({ created_at }) => created_at >= since).length;
  return fresh.length < NEWEST && now.total === before.total + made ? fresh : null;
}
