import { uptime } from "node:os";
import { isHere } from "./identity.ts";
import { parseTag, tagsIn } from "./owner-tag.ts";
import { environOf, nameOf, type ProcessInfo, parentsOf } from "./process-table.ts";
import { Registry, registryIdOf } from "./registry.ts";

/** Who started this process. */
export interface Origin {
  /** What works for a loop of the project: its tag, its process group or its session is on the way up. */
  isLoop: boolean;
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
  const isOurs = (text: string) => {
    const tag = parseTag(text);
    return tag !== null && (registryId === null || tag.registryId === registryId);
  };
  const records = folder === null ? [] : new Registry(folder).groups();
  const groups = new Set(records.filter(({ owner }) => isHere(owner)).map(({ group }) => group));
  const isLoop = chain.some(
    ({ pid, group, session }) =>
      groups.has(group) || groups.has(session) || tagsIn(environOf(pid)).some(isOurs),
  );
  return { isLoop, orphanedAt: orphanIn(chain) };
}

/**
 * The process that a collector of orphans is the parent of, if nobody from there down has a terminal. The service manager
 * of a user takes orphans in before the first process of the system does.
 */
function orphanIn(chain: readonly ProcessInfo[]): Date | null {
  const at = chain.findIndex(({ parent }) => parent === 1 || nameOf(parent) === "systemd");
  const top = chain[at];
  if (!top || chain.slice(0, at + 1).some(({ terminal }) => terminal !== 0)) return null;
  const seconds = Number(top.started) / 100;
  return Number.isNaN(seconds) ? null : new Date(Date.now() - (uptime() - seconds) * 1000);
}
