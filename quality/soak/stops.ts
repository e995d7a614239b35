/**
 * Stops loops whose agents and tests start nested processes, by pause, stop and `kill -9`, and looks for what is left:
 * `npm run soak:stops -- --stops N [--seed S] [--codex-every M]`. Exit code 1 when anything survived.
 */
import { parseArgs } from "node:util";
import { numberOf, seedOf } from "../support/command.ts";
import { machine } from "../support/figures.ts";
import { figures, missingIn, stopLoops } from "./src/stops/stops.ts";

const { values } = parseArgs({
  options: {
    stops: { type: "string", default: "100" },
    seed: { type: "string" },
    "codex-every": { type: "string", default: "20" },
  },
});
const seed = seedOf(values.seed);
const codexEvery = numberOf(values["codex-every"], "codex-every", 0);

console.log(`${machine()}, seed ${seed}`);
const results = await stopLoops({
  ...{ stops: numberOf(values.stops, "stops"), seed, codexEvery },
  onResult({ survivors, way, starter, kind }, done) {
    if (survivors > 0) {
      console.log(`stop ${done}: ${survivors} survived (${way}, of the ${starter}, ${kind})`);
    }
    if (done % 50 === 0) console.log(`${done} stops`);
  },
});
const missing = missingIn(results, codexEvery);
for (const line of [...missing, ...figures(results)]) console.log(line);
process.exit(missing.length > 0 || results.some(({ survivors }) => survivors > 0) ? 1 : 0);
