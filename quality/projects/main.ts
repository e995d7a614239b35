/**
 * A survey of real projects: each gets one bug, and a loop whose agent repairs it wrongly first and then rightly.
 * Run: `npm run try:projects`, with `-- --only NAME`, `--jobs N`, `--quick`, `--json`, `--by-hand`, `--write` (the tables into docs/projects.md).
 */
import { parseArgs } from "node:util";
import { inLanes } from "../loops/lanes.ts";
import { Page } from "../loops/page.ts";
import { groups } from "./list/groups.ts";
import { byHand } from "./src/by-hand.ts";
import type { Project } from "./src/project.ts";
import { isRight, lastLine, type Row, survey } from "./src/survey.ts";
import { tables } from "./src/table.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    jobs: { type: "string", default: "1" },
    "by-hand": { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
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

/** Those of a name, else those with it in their name or their tools; all without `--only`. */
function chosen(): Project[] {
  const all = groups.flatMap(({ projects }) => projects);
  if (values.only.length === 0) return all;
  const names = new Set(all.map(({ name }) => name));
  const fits = ({ name, tools }: Project) =>
    values.only.some((text) =>
      names.has(text) ? name === text : `${name} ${tools}`.includes(text),
    );
  const found = all.filter(fits);
  if (found.length > 0) return found;
  return stop(
    `No project is called ${values.only.join(", ")}. There are: ${[...names].join(", ")}.`,
  );
}

function tell({ project, played, problems, missing }: Row): void {
  const mark = missing ? "NOT PLAYED" : problems.length === 0 ? "ok" : "NOT OK";
  const time = played ? `${played.seconds.toFixed(0)} s` : "";
  console.error(
    `${mark.padEnd(10)} ${project.name}  ${missing ?? played?.loop?.verdicts ?? ""}  ${time}`,
  );
  for (const problem of problems) console.error(`           ${problem}`);
}

if (values["by-hand"]) {
  await inLanes(chosen(), lanes, async (project) => {
    const said = await byHand(project).catch(
      (error: Error) => `cannot be prepared: ${error.message}`,
    );
    console.log(`${project.name}: ${said}`);
  });
} else {
  const page = values.write ? new Page("projects.md") : undefined;
  const rows = await survey(chosen(), {
    lanes,
    quick: values.quick,
    onRow(row) {
      tell(row);
      // At once: what an interrupted survey has seen stays.
      page?.write(tables(groups, [row], page.written));
    },
  });
  console.log(values.json ? JSON.stringify(rows, null, 2) : tables(groups, rows));
  console.log(lastLine(rows));
  process.exitCode = isRight(rows) ? 0 : 1;
}
