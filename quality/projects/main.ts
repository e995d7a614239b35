/**
 * A survey of real projects: each gets one bug, and a loop whose agent repairs it wrongly first and then rightly.
 * Run: `npm run try:projects`, with `-- --only NAME`, `--jobs N`, `--quick`, `--json`, `--by-hand`, `--keep FOLDER`, `--write` (the tables into docs/projects.md).
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chosenBy, exitOnSignals, numberOf } from "../support/command.ts";
import { Page } from "../support/report-page.ts";
import { mapConcurrently } from "../support/runs.ts";
import { groups } from "./list/groups.ts";
import { byHand } from "./src/prepare.ts";
import { isRight, lastLine, type Row, survey } from "./src/survey.ts";
import { tables } from "./src/table.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    jobs: { type: "string", default: "1" },
    "by-hand": { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    keep: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const lanes = numberOf(values.jobs, "jobs");
exitOnSignals();
const all = groups.flatMap(({ projects }) => projects);
const projects = chosenBy(all, values.only, ({ name, tools }) => `${name} ${tools}`);

function print({ project, played, problems, missing }: Row): void {
  const mark = missing ? "NOT PLAYED" : problems.length === 0 ? "ok" : "NOT OK";
  const time = played ? `${played.seconds.toFixed(0)} s` : "";
  console.error(
    `${mark.padEnd(10)} ${project.name}  ${missing ?? played?.loop?.verdicts ?? ""}  ${time}`,
  );
  for (const problem of problems) console.error(`           ${problem}`);
}

if (values["by-hand"]) {
  await mapConcurrently(projects, lanes, async (project) => {
    const said = await byHand(project).catch(
      (error: Error) => `cannot be prepared: ${error.message}`,
    );
    console.log(`${project.name}: ${said}`);
  });
} else {
  const page = values.write ? new Page("projects.md") : undefined;
  const rows = await survey(projects, {
    lanes,
    quick: values.quick,
    keep: values.keep && resolve(values.keep),
    onRow(row) {
      print(row);
      // At once: what an interrupted survey has seen stays.
      page?.write(tables(groups, [row], page.written));
    },
  });
  console.log(values.json ? JSON.stringify(rows, null, 2) : tables(groups, rows));
  console.log(lastLine(rows));
  process.exitCode = isRight(rows) ? 0 : 1;
}
