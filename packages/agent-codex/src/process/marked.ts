import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isGone, MARK_NAME, ownerOf } from "./owner.ts";

const LOOK_AGAIN_MS = 5;
const PATIENCE_MS = 3_000;

/**
 * Kills every process that carries the mark in its environment, until none is left: also those that moved
 * into a group or session of their own. Looks twice, because a process that is just being started shows no
 * environment for an instant. Answers the pids that would not die. Needs /proc; elsewhere Codex's
 * own cleaning up must do.
 */
export async function endMarked(mark: string): Promise<number[]> {
  const end = performance.now() + PATIENCE_MS;
  for (let empty = 0; ; ) {
    const left = await processesWith(["environ"], (found) => found === mark);
    empty = left.length === 0 ? empty + 1 : 0;
    if (empty === 2 || performance.now() > end) return left;
    for (const pid of left) kill(pid);
    await delay(LOOK_AGAIN_MS);
  }
}

/** Kills what agents of dead processes left behind, the Codex process itself included. */
export async function endOrphans(): Promise<void> {
  const orphans = await processesWith(["environ", "cmdline"], (mark) => {
    const owner = ownerOf(mark);
    return owner !== null && isGone(owner);
  });
  for (const pid of orphans) kill(pid);
}

/** Codex has the mark in its arguments, the commands it starts have it in their environment. */
type Place = "environ" | "cmdline";

async function processesWith(
  places: readonly Place[],
  test: (mark: string) => boolean,
): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const texts = await Promise.all(places.map((place) => readPlace(pid, place)));
      return texts.some((text) => marksIn(text).some(test)) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

function marksIn(text: string): string[] {
  if (!text.includes(MARK_NAME)) return [];
  return [...text.matchAll(MARK)].map((match) => match[1] ?? "");
}

const MARK = new RegExp(`${MARK_NAME}="?([\\w.-]+)`, "g");

/** Empty when the process is gone, is a zombie or belongs to somebody else. */
async function readPlace(pid: string, place: Place): Promise<string> {
  return readFile(`/proc/${pid}/${place}`, "latin1").catch(() => "");
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself in the meantime.
  }
}
