/**
 * How long the terminal interface takes to its first frame, as a ratio to `node -e 0` (whole processes in turn, in a
 * terminal): node quality/bench/tui/start-up.ts [runs]
 */
import { join } from "node:path";
import { makeLoop } from "../../../apps/tui/test/support/make-loop.ts";
import { builtCopy } from "../../../packages/cli/scripts/built-copy.ts";
import { machine, median } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { pty } from "./support/pty.ts";

const RUNS = Number(process.argv[2] ?? 15);

const folder = temporaryFolder("bench");
const launcher = await builtCopy(join(folder, "cli"));
await makeLoop(folder);
const node: number[] = [];
const frame: number[] = [];
const list: number[] = [];
// The first round only warms the disk.
for (let round = -1; round < RUNS; round += 1) {
  const [bare, first, filled] = [await ended(), ...(await shown(launcher))];
  if (round < 0) continue;
  node.push(bare);
  frame.push(first);
  list.push(filled);
}
console.log(`machine: ${machine()}`);
console.log(`${RUNS} rounds, medians`);
const base = median(node);
for (const [name, samples] of [
  ["node -e 'console.log(0)'", node],
  ["ccw-loop tui, first frame", frame],
  ["ccw-loop tui, its loop on it", list],
] as const) {
  const took = median(samples);
  console.log(
    `${name.padEnd(30)} ${took.toFixed(0).padStart(5)} ms  ratio ${(took / base).toFixed(2)}`,
  );
}

async function ended(): Promise<number> {
  const began = performance.now();
  await using terminal = await pty([process.execPath, "-e", "console.log(0)"], { cwd: folder });
  return await terminal.shows(/0/, began);
}

async function shown(launcher: string): Promise<[first: number, filled: number]> {
  const began = performance.now();
  const options = { cwd: folder, env: { HOME: folder } };
  await using terminal = await pty([process.execPath, launcher, "tui"], options);
  const first = await terminal.shows(/CCW Loop/, began);
  return [first, Math.max(first, await terminal.shows(/The sum/, began))];
}
