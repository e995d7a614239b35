import type { ProcessScope } from "@ccw-loop/core";
import { type ProcessIdentity, thisProcess } from "./identity.ts";
import { type OwnerTag, parseTag, tagsIn } from "./mark.ts";
import { ancestorsOf, withDescendants } from "./members.ts";
import type { GroupRecord } from "./registry/records.ts";
import { commandLineOf, environOf, type ProcessInfo, runningProcesses, ticksNow } from "./table.ts";

/** Processes that were started for one purpose, and what is known of them. */
export interface ProcessGroup {
  mark: string;
  owner: ProcessIdentity;
  /** For whom they work; null when for no loop. */
  scope: ProcessScope | null;
  command: string;
  /** RFC 3339; null where it cannot be told. */
  started_at: string | null;
  pids: number[];
  /** Groups whose first process is provably the one that was registered. */
  groups: number[];
}

/** The running processes whose marks name `home` or that are in `records`; those we run in ourselves are left out. */
export function findTagged(home: string, records: readonly GroupRecord[]): ProcessGroup[] {
  const all = runningProcesses();
  const ancestors = ancestorsOf(process.pid, all);
  const found = new Map<string, { mark: OwnerTag; seeds: ProcessInfo[]; groups: number[] }>();
  const add = (text: string, seed: ProcessInfo, groups: number[]) => {
    const mark = parseTag(text);
    if (mark?.registryId !== home) return;
    const known = found.get(text) ?? { mark, seeds: [], groups: [] };
    known.seeds.push(seed);
    known.groups.push(...groups);
    found.set(text, known);
  };
  for (const one of all) for (const text of tagsIn(environOf(one.pid))) add(text, one, []);
  for (const record of records) {
    const leader = registeredLeader(record, all);
    if (!leader) continue;
    for (const one of all) if (one.group === leader.pid) add(record.mark, one, [leader.pid]);
  }
  return [...found].flatMap(([text, { mark, seeds, groups }]) => {
    const members = withDescendants(
      seeds.map(({ pid }) => pid),
      all,
    );
    const pids = [...members].filter((pid) => !ancestors.has(pid));
    const [first] = seeds.toSorted((a, b) => Number(a.started) - Number(b.started));
    if (pids.length === 0 || !first) return [];
    const record = records.find((one) => one.mark === text);
    return [
      {
        mark: text,
        owner: mark.owner,
        scope: mark.scope,
        command: record?.command ?? commandLineOf(first),
        started_at: record?.at ?? startedAt(first),
        pids,
        groups: [...new Set(groups)].filter((group) => !ancestors.has(group)),
      },
    ];
  });
}

/** The process that a record names: the same pid with the same start time, in this boot and this namespace. */
function registeredLeader(
  record: GroupRecord,
  all: readonly ProcessInfo[],
): ProcessInfo | undefined {
  const me = thisProcess();
  const { boot, namespace } = record.owner;
  if (boot !== me.boot || namespace !== me.namespace) return undefined;
  return all.find(({ pid, started }) => pid === record.group && started === record.started);
}

function startedAt({ started }: ProcessInfo): string | null {
  const now = ticksNow();
  const at = now === null ? Number(started) : Date.now() - (now - Number(started)) * 10;
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}
