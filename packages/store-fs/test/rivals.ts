import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fsStore } from "../src/index.ts";
import { BY, newLoop } from "./loops.ts";

const PROCESSES = 4;
const WRITERS = 5;

/**
 * In each round twenty writers in four processes append to the same revision. Answers with how often how many
 * of them won.
 */
export async function rivals(root: string, rounds: number): Promise<Map<number, number>> {
  const store = fsStore({ root, durability: "process" });
  let { revision } = await store.create(newLoop("a"), BY);
  const path = join(import.meta.dirname, "children/rival.ts");
  const children = Array.from({ length: PROCESSES }, () => fork(path, [root, String(WRITERS)]));
  const counts = new Map<number, number>();
  try {
    await Promise.all(children.map(answer));
    for (let round = 0; round < rounds; round++) {
      const answers = Promise.all(children.map(answer));
      for (const child of children) child.send(revision);
      const won = (await answers).map(Number).reduce((sum, one) => sum + one);
      counts.set(won, (counts.get(won) ?? 0) + 1);
      ({ revision } = await store.read("a"));
    }
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await store.close();
  }
  return counts;
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
