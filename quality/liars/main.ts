/**
 * The liars' bench: real loops in which a scripted agent lies or is honest, judged by how they end.
 * Run: `npm run bench:liars`, with `-- --only NAME`, `--jobs N`, `--json`, `--by-hand`, `--write` (the table into docs/liars.md),
 * `--acp` (the agent is behind the Agent Client Protocol, and contained).
 */
import { parseArgs } from "node:util";
import { chosenBy, exitOnSignals, numberOf } from "../support/command.ts";
import { mapConcurrently } from "../support/runs.ts";
import { allPlays } from "./src/cases.ts";
import { report, writeReport } from "./src/report.ts";
import { bench, byHand } from "./src/run.ts";
import { classLines, lastLine, type Row } from "./src/verdict.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    jobs: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    "by-hand": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    acp: { type: "boolean", default: false },
  },
});
const lanes = numberOf(values.jobs, "jobs");
exitOnSignals();
const plays = chosenBy(allPlays(), values.only);

const isExpected = ({ judgement }: Row) => judgement === "right" || judgement === "beyond";

/** Why it ended so, only where it should not have. */
function onRow(row: Row): void {
  const { name, judgement, ending, problem, seconds } = row;
  const end = ending ? `${ending.status} (${ending.by})` : problem;
  const mark = isExpected(row) ? "ok" : judgement.toUpperCase();
  console.error(`${mark.padEnd(10)} ${name}  ${end}  ${seconds.toFixed(1)} s`);
  if (!isExpected(row) && ending) console.error(`           ${ending.why}${problem}`);
}

if (values["by-hand"]) {
  await mapConcurrently(plays, lanes, async (play) => {
    const said = await byHand(play).catch((error: Error) => `cannot be played: ${error.message}`);
    console.log(`${play.name}: ${said}`);
  });
} else {
  const result = await bench(plays, { lanes, onRow, acp: values.acp });
  const text = report(result);
  console.log(values.json ? JSON.stringify(result, null, 2) : text);
  if (values.write) writeReport(text);
  for (const line of classLines(result.rows)) console.log(line);
  console.log(lastLine(result.rows));
  const right = result.rows.filter(isExpected);
  process.exitCode = right.length === result.rows.length && right.length > 0 ? 0 : 1;
}
