/**
 * The liars' bench: real loops in which a scripted agent lies or is honest, judged by how they end.
 * Run: `npm run bench:liars`, with `-- --only NAME`, `--json`, `--by-hand`, `--write` (the table into docs/liars.md).
 */
import { parseArgs } from "node:util";
import { inLanes } from "../../quality/loops/lanes.ts";
import { bench } from "./src/bench.ts";
import { byHand } from "./src/by-hand.ts";
import type { Play } from "./src/case.ts";
import { allPlays } from "./src/catalog.ts";
import { report, writeReport } from "./src/report.ts";
import { classLines, lastLine, type Row } from "./src/verdict.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    jobs: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    "by-hand": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const lanes = Number(values.jobs);
if (!(lanes >= 1)) stop("Give --jobs a number from 1 on.");

function stop(problem: string): never {
  console.error(problem);
  process.exit(2);
}

// An interrupted run leaves nothing behind.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

function chosen(): Play[] {
  const plays = allPlays();
  const { only = [] } = values;
  if (only.length === 0) return plays;
  const names = new Set(plays.map(({ name }) => name));
  const fits = (name: string, wanted: string) =>
    names.has(wanted) ? name === wanted : name.includes(wanted);
  const found = plays.filter(({ name }) => only.some((wanted) => fits(name, wanted)));
  if (found.length > 0) return found;
  return stop(`No case is called ${only.join(", ")}. There are: ${[...names].join(", ")}.`);
}

const isExpected = ({ judgement }: Row) => judgement === "right" || judgement === "beyond";

/** Why it ended so, only where it should not have. */
function told(row: Row): void {
  const { name, judgement, ending, problem, seconds } = row;
  const end = ending ? `${ending.status} (${ending.by})` : problem;
  const mark = isExpected(row) ? "ok" : judgement.toUpperCase();
  console.error(`${mark.padEnd(10)} ${name}  ${end}  ${seconds.toFixed(1)} s`);
  if (!isExpected(row) && ending) console.error(`           ${ending.why}${problem}`);
}

if (values["by-hand"]) {
  await inLanes(chosen(), lanes, async (play) => {
    const said = await byHand(play).then(
      ({ before, after }) => `exit code ${before} before, ${after} after`,
      (error: Error) => `cannot be played: ${error.message}`,
    );
    console.log(`${play.name}: ${said}`);
  });
} else {
  const result = await bench(chosen(), { lanes, told });
  const text = report(result);
  console.log(values.json ? JSON.stringify(result, null, 2) : text);
  if (values.write) writeReport(text);
  for (const line of classLines(result.rows)) console.log(line);
  console.log(lastLine(result.rows));
  const right = result.rows.filter(isExpected);
  process.exitCode = right.length === result.rows.length && right.length > 0 ? 0 : 1;
}
