/**
 * Asks a served project what its OpenAPI document allows and what it does not:
 * `npm run fuzz -- --requests 50000 --seed 1`. `--reached` prints which answers there were.
 */
import { parseArgs } from "node:util";
import { exitOnSignals, numberOf, secondsSoFar, seedOf } from "../support/command.ts";
import { type Finding, fuzz } from "./src/fuzz.ts";
import { inspectStore, startTarget } from "./target/target.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    seed: { type: "string" },
    reached: { type: "boolean", default: false },
  },
});

/** Findings that are printed; all are counted. */
const PRINTED = 20;

/** What the process may hold at the end, in MB. */
const MEMORY_MB = 768;

const requests = numberOf(values.requests, "requests");
const seed = seedOf(values.seed);
console.error(`seed ${seed}`);
const target = await startTarget();
process.once("exit", () => target.remove());
exitOnSignals();
let printed = 0;
const { sent, findings, operations, reached } = await fuzz({
  ...{ url: target.url, token: target.token, patienceMs: 10_000, requests, seed },
  signal: target.gone,
  onFinding: (finding) => {
    printed += 1;
    if (printed <= PRINTED) print(finding);
  },
  onProgress: (soFar) => {
    if (soFar % 5_000 === 0) console.error(`${soFar} requests after ${secondsSoFar()} s`);
  },
});

const problems: string[] = [];
let died = target.gone.aborted ? 1 : 0;
if (died > 0) problems.push("The server's process ended.");
else {
  const megabytes = Math.round((await target.memory()) / 2 ** 20);
  console.log(`Memory of the server: ${megabytes} MB.`);
  if (megabytes > MEMORY_MB) problems.push(`The server holds more than ${MEMORY_MB} MB.`);
  const code = await target.stop();
  if (code !== 0) {
    died = 1;
    problems.push(`The server ended with ${code}.`);
  }
}
const inspected = await inspectStore(target.root);
problems.push(...inspected.problems);
console.log(
  `Loops in the store: ${inspected.loops}, all read. Duration: ${secondsSoFar()} s. Seed: ${seed}.`,
);
const never = operations.filter((id) => !reached.has(`${id} 200`));
const those = never.length === 0 ? "" : `; never: ${never.join(", ")}`;
console.log(
  `Operations that succeeded: ${operations.length - never.length} of ${operations.length}${those}.`,
);
if (values.reached) for (const [name, n] of [...reached].sort()) console.log(`  ${name}: ${n}`);
for (const problem of problems) console.log(problem);
const of = (kind: Finding["kind"]) => findings.filter((one) => one.kind === kind).length;
console.log(
  `requests: ${sent}, 5xx: ${of("5xx")}, hangs: ${of("hang")}, crashes: ${of("crash") + died}, undocumented: ${of("undocumented")}`,
);
process.exitCode = findings.length + problems.length === 0 && sent === requests ? 0 : 1;

function print({ kind, at, sentence, curl }: Finding): void {
  console.log(`${kind} at request ${at} of seed ${seed}: ${sentence}`);
  console.log(`  ${curl.length > 4_000 ? `${curl.slice(0, 4_000)}…` : curl}`);
}
