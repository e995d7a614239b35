/**
 * The soak: real processes on real files, killed, suspended and starved of disk. Run one of:
 * `npm run soak -- --kills N`, `--upstream`, `--linearizable N`, `--full-disk`, `--foreign N`, `--readers N`,
 * `--winners N`; `--seed N` repeats the random choices of the first four.
 */
import { parseArgs } from "node:util";
import { fullDisk, fullDiskLine } from "./src/full-disk/full-disk.ts";
import { killsFigures, killsLine, soak } from "./src/kills/soak.ts";
import { linearizability, linearizableLine } from "./src/linearizable/judge.ts";
import { machine } from "./src/machine.ts";
import { runStore, STORE_RUNS } from "./src/store-runs.ts";
import { judged, upstreamLine, upstreamTable, upstreamTests } from "./src/upstream/upstream.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    upstream: { type: "boolean" },
    linearizable: { type: "string" },
    "full-disk": { type: "boolean" },
    foreign: { type: "string" },
    readers: { type: "string" },
    winners: { type: "string" },
    seed: { type: "string" },
  },
});

function numberOf(text: string, option: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  return stop(`Give --${option} a whole number from 1 on.`);
}

function stop(problem: string): never {
  console.error(problem);
  process.exit(2);
}

/** The problems, what was measured and where, and last the line that counts. */
function end(problems: readonly string[], figures: string, last: string): void {
  for (const problem of problems) console.log(problem);
  console.log(`Machine: ${machine()}.`);
  console.log(`Duration: ${Math.round(performance.now() / 1000)} s. Seed: ${seed}. ${figures}`);
  console.log(last);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const told = (line: string) => console.error(line);
for (const name of STORE_RUNS) {
  const count = values[name];
  if (count === undefined) continue;
  console.log(`Machine: ${machine()}.`);
  process.exit(runStore(name, numberOf(count, name)));
}
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : numberOf(values.seed, "seed");
told(`seed ${seed}`);

if (values.kills !== undefined) {
  const kills = numberOf(values.kills, "kills");
  const result = await soak({
    ...{ kills, seed },
    told: (soFar) => told(`${killsLine(soFar)} after ${Math.round(soFar.seconds)} s`),
  });
  const { lost, unreadable, twice, broken, missing } = result;
  end(
    [...lost, ...unreadable, ...twice, ...broken, ...missing],
    killsFigures(result),
    killsLine(result),
  );
} else if (values.upstream) {
  const rows = await upstreamTests({
    ...{ seed, share: 1 },
    told: ({ section, what, ours }) => told(`${section} ${what}: ${ours}`),
  });
  console.log(upstreamTable(rows));
  const { lost, torn, repairs, missing, kept, of } = judged(rows);
  const gone = kept < of ? [`${of - kept} pauses and stops were not kept.`] : [];
  end([...lost, ...torn, ...repairs, ...gone, ...missing], "", upstreamLine(rows));
} else if (values.linearizable !== undefined) {
  const calls = numberOf(values.linearizable, "linearizable");
  const result = await linearizability(calls, seed);
  const { violations, missing, refused, atOnce } = result;
  const figures = `Refused: ${refused}. While another process waited: ${atOnce}.`;
  end([...violations, ...missing], figures, linearizableLine(result));
} else if (values["full-disk"]) {
  const result = await fullDisk(told);
  end([...result.problems, ...result.missing], "", fullDiskLine(result));
} else {
  stop(
    "Choose one of: --kills N, --upstream, --linearizable N, --full-disk, --foreign N, --readers N, --winners N.",
  );
}
