import { uptime } from "node:os";
import { isHere } from "./identity.ts";
import { parseTag, tagsIn } from "./owner-tag.ts";
import { environOf, nameOf, type ProcessInfo, parentsOf } from "./process-table.ts";
import { Registry, registryIdOf } from "./registry.ts";

export interface Origin {
  /** What works for a loop of the project: its tag, its process group or its session is on the way up. */
  isLoop: boolean;
  /** When that began on the way up which works for a loop of any project; null where nothing does. */
  workSince: Date | null;
  /**
   * When a process on the way up began that lost its parent and has no terminal, so that nobody can tell who started it;
   * null where every parent is known.
   */
  orphanedAt: Date | null;
}

/**
 * Looks from this process upwards, whatever its environment says. `folder` is where the processes of the project's loops are
 * registered; null for those of any project. Where there is no `/proc`, only groups are known.
 */
export function originOf(folder: string | null): Origin {
  const chain = parentsOf(process.pid);
  const registryId = folder === null ? null : registryIdOf(folder);
  const records = folder === null ? [] : new Registry(folder).groups();
  const groups = new Set(records.filter(({ owner }) => isHere(owner)).map(({ group }) => group));
  const tagged = chain.flatMap((one) => {
    const tags = tagsIn(environOf(one.pid)).flatMap((text) => parseTag(text) ?? []);
    return tags.length === 0 ? [] : [{ one, tags }];
  });
  const isOurs = (id: string) => registryId === null || id === registryId;
  const isLoop =
    chain.some(({ group, session }) => groups.has(group) || groups.has(session)) ||
    tagged.some(({ tags }) => tags.some((tag) => isOurs(tag.registryId)));
  const first = tagged.findLast(({ tags }) => tags.some(({ scope }) => scope !== null))?.one;
  return {
    ...{ isLoop, orphanedAt: orphanIn(chain) },
    workSince: first === undefined ? null : startOf(first),
  };
}

/**
 * The process that a collector of orphans is the parent of, if nobody from there down has a terminal. The service manager
 * of a user takes orphans in before the first process of the system does.
 */
function orphanIn(chain: readonly ProcessInfo[]): Date | null {
  const at = chain.findIndex(({ parent }) => parent === 1 || nameOf(parent) === "systemd");
  const top = chain[at];
  if (!top || chain.slice(0, at + 1).some(({ terminal }) => terminal !== 0)) return null;
  return startOf(top);
}

/** Null where it is counted otherwise. */
function startOf({ started }: ProcessInfo): Date | null {
  const seconds = Number(started) / 100;
  return Number.isNaN(seconds) ? null : new Date(Date.now() - (uptime() - seconds) * 1000);
}
