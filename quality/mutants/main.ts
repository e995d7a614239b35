/**
 * Plays the known defects, and looks whether the tests and judges that they name report them:
 * `npm run mutants -- [--only TEXT]... [--workers N] [--limit SECONDS]`. Exit code 1 when any is not caught, or none could be played.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exitOnSignals, numberOf, stop } from "../support/command.ts";
import { knownMutants } from "./src/known.ts";
import { mutantsLine, playedOf, playMutants } from "./src/play.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [""] },
    workers: { type: "string", default: "2" },
    limit: { type: "string", default: "240" },
    root: { type: "string", default: join(import.meta.dirname, "../..") },
  },
});
const workers = numberOf(values.workers, "workers");
const limit = numberOf(values.limit, "limit");
exitOnSignals();

const known = await knownMutants(values.root);
const chosen = known.filter(({ name, file }) =>
  values.only.some((text) => `${file} ${name}`.includes(text)),
);
if (chosen.length === 0) {
  stop(
    `No mutant in quality/mutants/known has "${values.only.join('" or "')}" in its name or its file's path.`,
  );
}
const outcomes = await playMutants(values.root, chosen, {
  workers,
  limitMs: limit * 1000,
  onOutcome({ name, problem, missing, seconds }) {
    if (missing) return console.log(`not played: ${missing} does not work here  ${name}`);
    console.log(
      `${problem === null ? "caught    " : "NOT CAUGHT"} ${seconds.toFixed(1)} s  ${name}`,
    );
    if (problem !== null) console.log(problem.replaceAll(/^/gm, "    "));
  },
});
// Once more at the end, where a log that is cut still has them.
for (const { name, problem } of outcomes) if (problem !== null) console.log(`not caught: ${name}`);
console.log(mutantsLine(outcomes));
const isCaught = outcomes.every(({ problem }) => problem === null);
process.exitCode = isCaught && playedOf(outcomes).length > 0 ? 0 : 1;
