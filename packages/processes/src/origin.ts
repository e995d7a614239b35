import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { statFields, thisProcess } from "./identity.ts";
import { parseTag, tagsIn } from "./owner-tag.ts";
import { environOf, runningProcesses } from "./process-table.ts";
import { registryIdOf, registryIn } from "./registry.ts";

/** A process on the way from this one up to the first. */
interface ProcessLink {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** 0 for none. */
  terminal: number;
  started: string;
}

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
  const { boot, namespace } = thisProcess();
  const records = folder === null ? [] : registryIn(folder).records.all();
  const groups = new Set(
    records
      .filter(({ owner }) => owner.boot === boot && owner.namespace === namespace)
      .map(({ group }) => group),
  );
  const isLoop = chain.some(
    ({ pid, group, session }) =>
      groups.has(group) || groups.has(session) || tagsIn(environOf(pid)).some(isOurs),
  );
  return { isLoop, orphanedAt: orphanIn(chain) };
}

/** The process that one of the collectors of orphans is the parent of, if nobody from there down has a terminal. */
function orphanIn(chain: readonly ProcessLink[]): Date | null {
  const at = chain.findIndex(({ parent }) => parent === 1 || isUserManager(parent));
  const top = chain[at];
  if (!top || chain.slice(0, at + 1).some(({ terminal }) => terminal !== 0)) return null;
  const seconds = Number(top.started) / 100;
  return Number.isNaN(seconds) ? null : new Date(Date.now() - (uptime() - seconds) * 1000);
}

/** The service manager of a user takes orphans in before the first process of the system does. */
function isUserManager(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim() === "systemd";
  } catch {
    return false;
  }
}

/** The process itself, its parent, and so on, without the first one of the system. */
function parentsOf(pid: number): ProcessLink[] {
  const find = process.platform === "linux" ? linkFromStat : linkFromTable();
  const chain: ProcessLink[] = [];
  for (let at = find(pid); at !== null && at.pid > 1; at = find(at.parent)) {
    if (chain.some((one) => one.pid === at?.pid)) break;
    chain.push(at);
  }
  return chain;
}

function linkFromStat(pid: number): ProcessLink | null {
  try {
    const fields = statFields(readFileSync(`/proc/${pid}/stat`, "latin1"));
    const [, parent = 0, group = 0, session = 0, terminal = 0] = fields.map(Number);
    return { pid, parent, group, session, terminal, started: fields[19] ?? "" };
  } catch {
    return null;
  }
}

function linkFromTable(): (pid: number) => ProcessLink | null {
  const all = new Map(runningProcesses().map((one) => [one.pid, one]));
  return (pid) => {
    const seen = all.get(pid);
    return seen === undefined ? null : { ...seen, session: 0, terminal: 1, started: "" };
  };
}
