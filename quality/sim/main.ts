/**
 * The simulation: `npm run sim -- [--seeds N] [--from S] [--until-violation]`, or `npm run sim -- --seed S` for everything that
 * happened in one of them.
 */
import { parseArgs } from "node:util";
import { numberOf, secondsSoFar } from "../support/command.ts";
import { EVENTS, missing, type SimEvent } from "./src/judge/events.ts";
import { printViolations, runMany } from "./src/run-many.ts";
import { runSeed } from "./src/run-seed.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    "until-violation": { type: "boolean" },
  },
});

if (values.seed !== undefined) {
  const verdict = await runSeed(numberOf(values.seed, "seed", 0));
  console.log(verdict.trace.join("\n"));
  console.log(`digest: ${verdict.digest}`);
  printViolations(verdict);
  console.log(`seeds: 1, violations: ${verdict.violations.length}`);
  process.exit(verdict.violations.length > 0 ? 1 : 0);
}

const REPORT_EVERY = 1000;
let reported = 0;
const outcome = await runMany(numberOf(values.from, "from", 0), numberOf(values.seeds, "seeds"), {
  untilViolation: values["until-violation"] === true,
  progress(done, found) {
    // A seed that does not end is counted alone.
    if (done - reported < REPORT_EVERY) return;
    reported = done;
    console.error(`${done} seeds, ${found} violations, ${secondsSoFar()} s`);
  },
});
for (const verdict of outcome.bad) printViolations(verdict);
for (const event of Object.keys(EVENTS)) {
  console.log(`${String(outcome.tally[event as SimEvent] ?? 0).padStart(8)}  ${event}`);
}
const problems = outcome.violations > 0 ? [] : missing(outcome.tally, outcome.seeds);
for (const sentence of problems) console.log(sentence);
console.log(`${outcome.commits} acknowledged commits, ${secondsSoFar()} s`);
console.log(`seeds: ${outcome.seeds}, violations: ${outcome.violations}`);
process.exit(outcome.violations > 0 || problems.length > 0 ? 1 : 0);
