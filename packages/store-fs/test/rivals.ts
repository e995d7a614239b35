import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fsStore } from "../src/index.ts";
import type { Round } from "./children/rival.ts";
import { BY, newLoop } from "./loops.ts";

const PROCESSES = 4;
const WRITERS = 5;

export interface Rivalry {
  /** How often how many writers won; exactly one should, each time. */
  counts: Map<number, number>;
  /** Rounds in which all processes were at it at the same time. */
  atOnce: number;
}

/** In each round twenty writers in four processes append to the same revision. */
export async function rivals(root: string, rounds: number): Promise<Rivalry> {
  const store = fsStore({ root, durability: "process" });
  let { revision } = await store.create(newLoop("a"), BY);
  const path = join(import.meta.dirname, "children/rival.ts");
  const children = Array.from({ length: PROCESSES }, () => fork(path, [root, String(WRITERS)]));
  const counts = new Map<number, number>();
  let atOnce = 0;
  try {
    await Promise.all(children.map(answer));
    for (let round = 0; round < rounds; round++) {
      const answers = Promise.all(children.map(answer));
      for (const child of children) child.send(revision);
      const all = (await answers) as Round[];
      const won = all.reduce((sum, one) => sum + one.won, 0);
      const lastBegin = Math.max(...all.map(({ begun }) => begun));
      if (all.every(({ ended }) => ended > lastBegin)) atOnce += 1;
      counts.set(won, (counts.get(won) ?? 0) + 1);
      ({ revision } = await store.read("a"));
    }
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await store.close();
  }
  return { counts, atOnce };
}

/** The next message of a child; fails when it ends instead. */
async function answer(child: ChildProcess): Promise<unknown> {
  const done = new AbortController();
  const { signal } = done;
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`A writer ended with ${code}.`);
  });
  ended.catch(() => {});
  const [message] = await Promise.race([once(child, "message", { signal }), ended]);
  done.abort();
  return message;
}
