import type { ListPosition, LoopService, SummaryChange } from "@ccw-loop/core";
import type { LoopsMessage } from "../loops/loops.ts";
import { pause } from "./pause.ts";

export interface HomeFeed {
  service: Pick<LoopService, "list" | "summaries" | "summaryChanges">;
  send: (message: LoopsMessage) => void;
  signal: AbortSignal;
}

const PAGE = 500;
/** More than anybody looks through; those that changed longest ago are left out. */
const MOST = 20_000;
/** Four times a second. */
const TELL_MS = 250;
/** Nobody tells of a driver's death, nor of a loop that cannot be read any more: they are looked for. */
const LOOK_MS = 5000;

/**
 * Reads all loops in pages and follows their changes, until the signal aborts or something may have been missed. Throws what
 * the service throws.
 */
export async function followLoops(feed: HomeFeed): Promise<void> {
  const { service, send, signal } = feed;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let pending: SummaryChange[] = [];
  // Listens before it reads, so that nothing changes unseen in between.
  const listening = (async () => {
    for await (const change of service.summaryChanges(until)) pending.push(change);
  })();
  const telling = (async () => {
    await readAll(feed, until);
    while (!until.aborted) {
      await pause(TELL_MS, until);
      if (pending.length === 0 || until.aborted) continue;
      const changes = pending;
      pending = [];
      send({ type: "changed", changes });
    }
  })();
  const looking = look(feed, until);
  try {
    await Promise.race([listening, telling, looking]);
  } finally {
    over.abort();
    await Promise.allSettled([listening, telling, looking]);
  }
}

/**
 * Looks now and then which of the running loops nobody drives, of very many only those that changed last, and which of all
 * loops cannot be read.
 */
async function look({ service, send }: HomeFeed, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const { loops, damaged } = await service.summaries({ status: "running", limit: PAGE });
    if (until.aborted) return;
    const undriven = new Map<string, string>();
    for (const { id, undriven_since } of loops) {
      if (undriven_since !== null) undriven.set(id, undriven_since);
    }
    send({ type: "looked", undriven, damaged });
    await pause(LOOK_MS, until);
  }
}

async function readAll({ service, send }: HomeFeed, signal: AbortSignal): Promise<void> {
  const ids = new Set<string>();
  let after: ListPosition | undefined;
  while (!signal.aborted) {
    const { loops, total, damaged } = await service.summaries({
      limit: PAGE,
      ...(after ? { after } : {}),
    });
    for (const { id } of loops) ids.add(id);
    const last = loops.at(-1);
    const complete = last === undefined || loops.length < PAGE || ids.size >= MOST;
    if (signal.aborted) return;
    send({
      type: "listed",
      summaries: loops,
      total,
      damaged,
      complete,
      ...(complete ? { ids } : {}),
    });
    if (complete) return;
    after = { updated_at: last.updated_at, loop_id: last.id };
    await pause(0);
  }
}
