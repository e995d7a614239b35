import { parseArgs } from "node:util";
import { EVENTS, missing, type SimEvent } from "./src/judge/events.ts";
import { runMany } from "./src/run-many.ts";
import { runSeed } from "./src/run-seed.ts";
import { sayViolations } from "./src/say.ts";

const USAGE = "usage: npm run sim -- [--seeds N] [--from S] [--until-violation] | --seed S";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    "until-violation": { type: "boolean" },
  },
});
const [seeds, from, seed] = [values.seeds, values.from, values.seed ?? "0"].map(Number);
if (![seeds, from, seed].every(Number.isSafeInteger) || seeds === undefined || from === undefined) {
  console.error(USAGE);
  process.exit(2);
}

if (values.seed !== undefined && seed !== undefined) {
  const verdict = await runSeed(seed);
  console.log(verdict.trace.join("\n"));
  console.log(`digest: ${verdict.digest}`);
  sayViolations(verdict);
  console.log(`seeds: 1, violations: ${verdict.violations.length}`);
  process.exit(verdict.violations.length > 0 ? 1 : 0);
}

const TELL_EVERY = 1000;
const begun = performance.now();
const seconds = () => Math.round((performance.now() - begun) / 1000);
let told = 0;
const outcome = await runMany(from, seeds, {
  untilViolation: values["until-violation"] === true,
  progress(done, found) {
    // A seed that does not end is counted alone.
    if (done - told < TELL_EVERY) return;
    told = done;
    console.error(`${done} seeds, ${found} violations, ${seconds()} s`);
  },
});
for (const verdict of outcome.bad) sayViolations(verdict);
for (const event of Object.keys(EVENTS)) {
  console.log(`${String(outcome.tally[event as SimEvent] ?? 0).padStart(8)}  ${event}`);
}
const problems = outcome.violations > 0 ? [] : missing(outcome.tally, outcome.seeds);
for (const sentence of problems) console.log(sentence);
console.log(`${outcome.commits} acknowledged commits, ${seconds()} s`);
console.log(`seeds: ${outcome.seeds}, violations: ${outcome.violations}`);
process.exit(outcome.violations > 0 || problems.length > 0 ? 1 : 0);
