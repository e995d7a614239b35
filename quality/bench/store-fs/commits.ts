/**
 * How many durable commits per second this store makes, as a share of what the same disk does at most for
 * anything that writes, syncs and renames. Both run in one go, in turns, so that a noisy machine hits both.
 * Run it with: node quality/bench/store-fs/commits.ts [folder on the disk to measure]
 */
import fs from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { LoopState } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { machine, median } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";

const ROUNDS = 60;
const PER_ROUND = 20;
const root = temporaryFolder("bench", process.argv[2]);
const at = "2026-01-22T10:00:00.000Z";

const store = fsStore({ root });
let { state, revision } = await store.create(
  LoopState.parse({
    loop_id: "bench",
    title: "Measure commits",
    description: "A loop of usual size. ".repeat(10),
    status: "running",
    created_at: at,
    updated_at: at,
    skill_state: {
      mode: "auto",
      develop: {
        tasks: Array.from({ length: 5 }, (_, i) => ({
          id: `task-00${i}`,
          description: `Do the part number ${i} of the work that was asked for.`,
          created_at: at,
        })),
      },
    },
  }),
  { actor: "bench" },
);

async function commit(): Promise<void> {
  const events = [{ type: "turn.completed" as const, at, ...TOKENS }];
  ({ state, revision } = await store.append("bench", revision, events, { actor: "bench" }));
}

const TOKENS = { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5, total_tokens: 15 };
const target = join(root, "raw.json");
const draft = join(root, "raw.tmp");

/** The least that makes a file durable: write, sync, rename, sync the folder. */
function raw(text: string): void {
  const fd = fs.openSync(draft, "w");
  fs.writeSync(fd, text);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(draft, target);
  const folder = fs.openSync(root, "r");
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

const text = JSON.stringify(state);
const rawRates: number[] = [];
const storeRates: number[] = [];

async function rate(work: () => void | Promise<void>): Promise<number> {
  const begin = performance.now();
  for (let i = 0; i < PER_ROUND; i++) await work();
  return (PER_ROUND / (performance.now() - begin)) * 1000;
}

for (let round = 0; round < ROUNDS; round++) {
  rawRates.push(await rate(() => raw(text)));
  storeRates.push(await rate(commit));
}
await store.close();

const rawRate = median(rawRates);
const storeRate = median(storeRates);
const share = median(storeRates.map((one, round) => one / (rawRates[round] ?? one)));
process.stdout.write(
  [
    `machine     ${machine(root)}`,
    `state       ${text.length} bytes, ${ROUNDS} rounds of ${PER_ROUND} in turns, medians`,
    `raw         ${rawRate.toFixed(0)}/s  write + fsync + rename + folder fsync`,
    `commits     ${storeRate.toFixed(0)}/s  durability "power", published files included`,
    `share       ${(share * 100).toFixed(0)} %  (aim: 80 %)`,
    "",
  ].join("\n"),
);
