import type { ProcessInfo } from "./process-table.ts";

export function withDescendants(pids: Iterable<number>, all: readonly ProcessInfo[]): Set<number> {
  const members = new Set(pids);
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const one of all) if (members.has(one.parent)) members.add(one.pid);
  }
  return members;
}

export function ancestorsOf(pid: number, all: readonly ProcessInfo[]): Set<number> {
  const parents = new Map(all.map((one) => [one.pid, one.parent]));
  const found = new Set<number>();
  for (let at: number | undefined = pid; at && !found.has(at); at = parents.get(at)) found.add(at);
  return found;
}

/**
 * Those who may have lost their parent to one of our own ancestors, as orphans do: to the first process, or to one
 * that collects them.
 */
export function orphansIn(all: readonly ProcessInfo[]): ProcessInfo[] {
  const collectors = ancestorsOf(process.pid, all).add(1);
  collectors.delete(process.pid);
  return all.filter(({ parent }) => collectors.has(parent));
}

/**
 * Whether the group `leader` was once the leader of is still the one that we know: a pid is not given away while a
 * group has it, so only a leader of another start time tells that it is not.
 */
export function isKnownGroup(
  leader: { pid: number; started: string },
  all: readonly ProcessInfo[],
): boolean {
  const now = all.find(({ pid }) => pid === leader.pid);
  return now === undefined || now.started === leader.started;
}
