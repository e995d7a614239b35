import { LoopError, type ProcessScope } from "@ccw-loop/core";
import { ancestorsOf, orphansIn, withDescendants } from "./descendants.ts";
import { guardian } from "./guardian.ts";
import { isHere, mayLive, thisProcess } from "./identity.ts";
import { leaseKey, newTag, type OwnerTag, parseTag, tagsIn } from "./owner-tag.ts";
import {
  commandLineOf,
  environOf,
  isBeingStarted,
  type ProcessInfo,
  runningProcesses,
  ticksNow,
} from "./process-table.ts";
import { type Environment, ProcessTree } from "./process-tree.ts";
import { type GroupRecord, Registry, registryIdOf } from "./registry.ts";
import { type ProcessSnapshot, terminateAll } from "./terminate.ts";

/** What runs and should not: processes that were started for one purpose, and what is known of them. */
export interface Leftover {
  /** For whom they work; null when for no loop. */
  scope: ProcessScope | null;
  command: string;
  /** RFC 3339; null where it cannot be told. */
  started_at: string | null;
  pids: number[];
  /** The process that started them is gone, or it is still there and somebody took the loop over from it. */
  reason: "owner_gone" | "superseded";
  owner_pid: number;
}

/** All processes that are started for the loops of one project. */
export interface Processes {
  /** A new one: processes that are ended together. */
  processTree(scope?: ProcessScope | undefined): ProcessTree;
  leftovers(): Leftover[];
  /** Ends all leftovers; resolves when none of them is alive, with what there was. Throws `system_unavailable` for one that stays. */
  sweep(): Promise<Leftover[]>;
  /**
   * At that moment of `performance.now()` what works for this lease is ended, also while this process is suspended, and
   * nothing is started for it any more, unless a later moment was set before. Null when the lease was given back.
   */
  keepAlive(scope: ProcessScope, until: number | null): void;
  /**
   * Before anything is done under this lease: ends what works for an earlier one of the same loop, whoever owns it, and
   * all leftovers; from now on earlier owners can start nothing. Throws `system_unavailable` for one that stays.
   */
  endSuperseded(scope: ProcessScope): Promise<void>;
}

interface ProcessesOptions {
  folder?: string;
  /** Variables that everything gets which is started for a loop; asked for at each start. */
  environment?: Environment;
}

/**
 * Groups are registered in `folder`, so that whoever comes next on this machine finds them; it is made when it is needed.
 * Without one they are still tagged, watched over and ended, but all such projects of the machine are as one.
 */
export function processes({ folder, environment = () => ({}) }: ProcessesOptions = {}): Processes {
  const registry = folder === undefined ? null : new Registry(folder);
  let id: string | undefined;
  const registryId = () => {
    id ??= folder === undefined ? "" : registryIdOf(folder);
    return id;
  };

  const find = (all: readonly ProcessInfo[] = runningProcesses()) =>
    findUnwanted(registryId(), registry, all);

  return {
    processTree(scope) {
      const tag = newTag(registryId(), scope ?? null);
      return new ProcessTree(tag, { scope: scope ?? null, registry, environment });
    },

    keepAlive: (scope, until) =>
      guardian.keepAlive(leaseKey(thisProcess(), registryId(), scope), until),

    leftovers: () => find().map(toLeftover),

    async sweep() {
      const before = find();
      await end(find);
      registry?.tidy();
      return before.map(toLeftover);
    },

    async endSuperseded(scope) {
      registry?.setEpoch(scope);
      await end(find);
      registry?.tidy();
    },
  };
}

interface Unwanted extends Leftover {
  /** Groups whose first process is provably the one that was registered. */
  groups: number[];
}

async function end(find: (all: readonly ProcessInfo[]) => Unwanted[]): Promise<void> {
  const look = (): ProcessSnapshot => {
    const all = runningProcesses();
    const left = find(all);
    return {
      living: left.flatMap(({ pids }) => pids),
      groups: left.flatMap(({ groups }) => groups),
      starting: left.length === 0 && orphansIn(all).some(({ pid }) => isBeingStarted(pid)),
    };
  };
  const left = await terminateAll(look, { graceMs: 0 });
  if (left.length === 0) return;
  throw new LoopError(
    "system_unavailable",
    `Processes ${left.join(", ")} of an earlier run cannot be ended. End them, then try again.`,
    { details: { pids: left } },
  );
}

function toLeftover({ groups: _, ...left }: Unwanted): Leftover {
  return left;
}

/** What has a tag of this registry, or is registered in it, and should not run; those we run in ourselves are left out. */
function findUnwanted(
  registryId: string,
  registry: Registry | null,
  all: readonly ProcessInfo[],
): Unwanted[] {
  const records = registry?.groups() ?? [];
  const ancestors = ancestorsOf(process.pid, all);
  const found = new Map<string, { tag: OwnerTag; seeds: ProcessInfo[]; groups: number[] }>();
  const add = (text: string, seed: ProcessInfo, groups: number[]) => {
    const tag = parseTag(text);
    if (tag?.registryId !== registryId) return;
    const known = found.get(text) ?? { tag, seeds: [], groups: [] };
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
  return [...found].flatMap(([text, { tag, seeds, groups }]): Unwanted[] => {
    const reason = reasonOf(tag, registry);
    const members = withDescendants(
      seeds.map(({ pid }) => pid),
      all,
    );
    const pids = [...members].filter((pid) => !ancestors.has(pid));
    const [first] = seeds.toSorted((a, b) => Number(a.started) - Number(b.started));
    if (reason === null || pids.length === 0 || !first) return [];
    const record = records.find((one) => one.mark === text);
    return [
      {
        scope: tag.scope,
        command: record?.command ?? commandLineOf(first),
        started_at: record?.at ?? startedAt(first),
        pids,
        reason,
        owner_pid: tag.owner.pid,
        groups: [...new Set(groups)].filter((group) => !ancestors.has(group)),
      },
    ];
  });
}

/** Why what has this tag should not run; null when it may. */
function reasonOf(
  { owner, scope }: OwnerTag,
  registry: Registry | null,
): Leftover["reason"] | null {
  if (!mayLive(owner)) return "owner_gone";
  const newest = scope ? registry?.epochOf(scope.loop) : undefined;
  return scope && newest !== undefined && scope.epoch < newest ? "superseded" : null;
}

/** The process that a record names: the same pid with the same start time, in this boot and this namespace. */
function registeredLeader(
  record: GroupRecord,
  all: readonly ProcessInfo[],
): ProcessInfo | undefined {
  if (!isHere(record.owner)) return undefined;
  return all.find(({ pid, started }) => pid === record.group && started === record.started);
}

function startedAt({ started }: ProcessInfo): string | null {
  const now = ticksNow();
  const at = now === null ? Number(started) : Date.now() - (now - Number(started)) * 10;
  return Number.isFinite(at) ? new Date(at).toISOString() : null;
}
