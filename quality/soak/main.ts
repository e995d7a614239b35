/**
 * The soak: real processes on real files, killed, suspended and starved of disk. Run one of:
 * `npm run soak -- --kills N`, `--linearizable N`, `--full-disk`, `--foreign N`, `--readers N`, `--winners N`;
 * `--seed N` repeats the random choices of the first two.
 */
import { parseArgs } from "node:util";
import { exitOnSignals, numberOf, secondsSoFar, seedOf, stop } from "../support/command.ts";
import { machine } from "../support/figures.ts";
import type { Outcome } from "../support/runs.ts";
import { fullDisk, fullDiskLine } from "./src/full-disk/full-disk.ts";
import { killsFigures, killsLine, soak } from "./src/kills/kills.ts";
import { linearizability, linearizableLine } from "./src/linearizable/linearizable.ts";
import { foreignEdits } from "./src/store/foreign.ts";
import { foreignReadings } from "./src/store/readers.ts";
import { oneWinner } from "./src/store/winners.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    linearizable: { type: "string" },
    "full-disk": { type: "boolean" },
    foreign: { type: "string" },
    readers: { type: "string" },
    winners: { type: "string" },
    seed: { type: "string" },
  },
});
const log = (line: string) => console.error(line);
const seed = seedOf(values.seed);
exitOnSignals();

async function kills(count: number): Promise<Outcome> {
  const onProgress = (soFar: Parameters<typeof killsLine>[0]) =>
    log(`${killsLine(soFar)} after ${secondsSoFar()} s`);
  const result = await soak({ kills: count, seed, onProgress });
  const { lost, unreadable, twice, broken, missing } = result;
  const problems = [...lost, ...unreadable, ...twice, ...broken, ...missing];
  return { problems, figures: killsFigures(result), last: killsLine(result) };
}

async function linearizable(count: number): Promise<Outcome> {
  const result = await linearizability(count, seed);
  const { violations, missing, refused, atOnce } = result;
  const figures = `Refused: ${refused}. While another process waited: ${atOnce}.`;
  return { problems: [...violations, ...missing], figures, last: linearizableLine(result) };
}

async function diskFull(): Promise<Outcome> {
  const result = await fullDisk(log);
  const problems = [...result.problems, ...result.missing];
  return { problems, figures: "", last: fullDiskLine(result) };
}

const COUNTED = {
  ...{ kills, linearizable },
  ...{ foreign: foreignEdits, readers: foreignReadings, winners: oneWinner },
};

async function run(): Promise<Outcome> {
  for (const name of Object.keys(COUNTED) as (keyof typeof COUNTED)[]) {
    const count = values[name];
    if (count !== undefined) return COUNTED[name](numberOf(count, name));
  }
  if (values["full-disk"]) return diskFull();
  return stop(
    "Choose one of: --kills N, --linearizable N, --full-disk, --foreign N, --readers N, --winners N.",
  );
}

log(`seed ${seed}`);
const { problems, figures, last } = await run();
for (const problem of problems) console.log(problem);
console.log(`Machine: ${machine()}.`);
console.log(`Duration: ${secondsSoFar()} s. Seed: ${seed}. ${figures}`);
console.log(last);
process.exitCode = problems.length === 0 ? 0 : 1;
