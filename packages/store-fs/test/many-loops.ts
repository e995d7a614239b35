import { mkdirSync, writeFileSync } from "node:fs";
import { documentOf, encodeCommit } from "../src/commit/commit-form.ts";
import { AT, loopFile, newLoop } from "./loops.ts";
import { makeProject } from "./project.ts";

export const timeOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();

/** A project with many loops, as the store leaves them, made faster than it would: `loop-00000` is the oldest. */
export function manyLoops(count: number): string {
  const root = makeProject();
  mkdirSync(loopFile(root, ""), { recursive: true, mode: 0o700 });
  for (let n = 0; n < count; n++) {
    const id = `loop-${String(n).padStart(5, "0")}`;
    const loop = newLoop(id, { updated_at: timeOf(n) });
    const event = { type: "loop.created" as const, at: AT, loop };
    const head = { revision: 1, parent: null, op_id: id, epoch: null, at: AT, actor: "test" };
    const { text, stored } = encodeCommit({ ...head, events: [event], state: loop });
    mkdirSync(loopFile(root, `${id}.history`), { mode: 0o700 });
    writeFileSync(loopFile(root, `${id}.history/0000000001.json`), text, { mode: 0o600 });
    writeFileSync(loopFile(root, `${id}.json`), documentOf(stored().commit.state), { mode: 0o600 });
  }
  return root;
}
