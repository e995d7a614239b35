import { readdirSync, readFileSync } from "node:fs";

/** Enough of a process to know it again: pids are reused, pid and start time together are not. */
interface Seen {
  pid: number;
  parent: number;
  group: number;
  started: string;
}

/** Finds the living processes of one run: its group, and those that left it. */
export interface Relatives {
  /** Pids of the group and, where /proc exists, of everything that came out of it; no zombies. */
  living(): number[];
}

/**
 * `group` is the pid of the group's leader. `marker` is a `NAME=value` of the run's environment: by it a
 * process is found that started its own session and whose parent is gone.
 */
export function relatives(group: number, marker: string): Relatives {
  const known = new Map<number, string>();
  return {
    living() {
      const all = processes();
      if (all === null) return groupAnswers(group) ? [group] : [];
      const members = new Set<number>();
      for (const one of all) {
        const ours =
          one.group === group || known.get(one.pid) === one.started || hasMarker(one.pid, marker);
        if (ours && one.pid !== process.pid) members.add(one.pid);
      }
      addDescendants(members, all);
      for (const one of all) if (members.has(one.pid)) known.set(one.pid, one.started);
      return [...members];
    },
  };
}

function addDescendants(members: Set<number>, all: readonly Seen[]): void {
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const one of all) if (members.has(one.parent)) members.add(one.pid);
  }
}

/** All processes but zombies; null where there is no /proc. */
function processes(): Seen[] | null {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return null;
  }
  if (!names.includes("self")) return null;
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => readStat(Number(name)));
}

function readStat(pid: number): Seen[] {
  const text = readOrNothing(`/proc/${pid}/stat`);
  // The name stands in parentheses and may itself hold any of them.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  if (text === "" || state === "Z" || state === "X") return [];
  return [{ pid, parent: Number(parent), group: Number(group), started: fields[19] ?? "" }];
}

function hasMarker(pid: number, marker: string): boolean {
  return `\0${readOrNothing(`/proc/${pid}/environ`)}`.includes(`\0${marker}\0`);
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

function groupAnswers(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
