/**
 * Loops on machines that are killed, suspended and cut off, with a PostgreSQL and a git server that go away:
 * `npm run soak:fleet -- --kills N [--seed S] [--lease SECONDS]`. Exit code 1 when anything was lost, done twice or unreadable.
 */
import { parseArgs } from "node:util";
import { exitOnSignals, numberOf, secondsSoFar, seedOf } from "../support/command.ts";
import { machine } from "../support/figures.ts";
import { fleetFigures, fleetLine, fleetSoak } from "./src/fleet/rounds.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string" },
    lease: { type: "string", default: "4" },
  },
});
const seed = seedOf(values.seed);
exitOnSignals();

console.error(`seed ${seed}`);
const result = await fleetSoak({
  ...{ kills: numberOf(values.kills, "kills"), seed },
  leaseMs: numberOf(values.lease, "lease") * 1000,
  onProgress: (soFar) => console.error(`${fleetLine(soFar)} after ${secondsSoFar()} s`),
});
if (result === null) {
  console.log(
    "skipped: this machine permits no namespaces, neither as root nor in a user namespace",
  );
} else {
  const { lost, twice, unreadable, broken, missing } = result;
  const problems = [...lost, ...twice, ...unreadable, ...broken, ...missing];
  for (const problem of problems) console.log(problem);
  console.log(`Machine: ${machine()}. Lease: ${values.lease} s.`);
  console.log(`Duration: ${secondsSoFar()} s. Seed: ${seed}. ${fleetFigures(result)}`);
  console.log(fleetLine(result));
  process.exitCode = problems.length === 0 ? 0 : 1;
}
