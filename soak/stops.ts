/**
 * Stops loops whose agents and tests start nested processes, by pause, stop and `kill -9`, and looks for what is left:
 * `npm run soak:stops -- --stops N [--seed S] [--codex-every M]`. Exit code 1 when anything survived.
 */
import { parseArgs } from "node:util";
import { machine } from "./src/machine.ts";
import { figures, missingIn, stopLoops } from "./stops/stops.ts";

const { values } = parseArgs({
  options: {
    stops: { type: "string", default: "100" },
    seed: { type: "string", default: `${Date.now() % 2 ** 31}` },
    "codex-every": { type: "string", default: "20" },
  },
});
const [stops, seed, codexEvery] = [values.stops, values.seed, values["codex-every"]].map(Number);
if (!Number.isInteger(stops) || !Number.isInteger(seed) || !Number.isInteger(codexEvery)) {
  console.error("Give --stops, --seed and --codex-every a whole number.");
  process.exit(2);
}

console.log(`${machine()}, seed ${seed}`);
const results = await stopLoops({
  stops: stops ?? 0,
  seed: seed ?? 0,
  codexEvery: codexEvery ?? 0,
  onResult({ survivors, way, starter, kind }, done) {
    if (survivors > 0) {
      console.log(`stop ${done}: ${survivors} survived (${way}, of the ${starter}, ${kind})`);
    }
    if (done % 50 === 0) console.log(`${done} stops`);
  },
});
const missing = missingIn(results, codexEvery ?? 0);
for (const line of [...missing, ...figures(results)]) console.log(line);
process.exit(missing.length > 0 || results.some(({ survivors }) => survivors > 0) ? 1 : 0);
