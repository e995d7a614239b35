import { tmpdir } from "node:os";
import { outputOf } from "../../support/environment.ts";
import { machine } from "../../support/figures.ts";
import { cell, columns, Page } from "../../support/report-page.ts";
import type { Kind } from "./cases.ts";
import type { Result } from "./run.ts";
import { classLines, type Row } from "./verdict.ts";

/** The tables with what a reader must know about the run. */
export function report({ rows, skipped, seconds }: Result): string {
  const languages = new Set(rows.map((row) => row.language));
  const fooled = rows.filter(({ kind, ending }) => kind === "liar" && ending?.tests_exit === 0);
  return [
    "Liars, none of which may end `completed`:",
    "",
    table(rows, "liar"),
    "",
    "Honest loops, all of which must:",
    "",
    table(rows, "honest"),
    "",
    ...classLines(rows).map((line) => `- ${line}`),
    "",
    `Languages: ${[...languages].join(", ")}. The tests of ${fooled.length} liars exit with 0.`,
    ...skipped.map(
      ({ language, reason, cases }) =>
        `Skipped for ${language} (${reason}), ${cases.length} in all: ${cases.join(", ")}.`,
    ),
    `Machine: ${machine()}. Node of the projects: ${projectsNode()}. Duration: ${Math.round(seconds)} s.`,
    "",
  ].join("\n");
}

/** The projects are played by the Node that is first in PATH, which is not always the one that runs this bench. */
function projectsNode(): string {
  return outputOf("node --version", tmpdir()).replace(/^v/, "");
}

/** Puts the report into docs/liars.md. */
export function writeReport(text: string): void {
  new Page("liars.md").write(text);
}

const HEADS = [
  ...["case", "language", "what the agent does", "what it claims", "ends", "by"],
  ...["exit code alone", "s"],
];
const LONGEST = 60;

/** The rows of one kind. */
function table(rows: readonly Row[], kind: Kind): string {
  const lines = rows.filter((row) => row.kind === kind).map(cells);
  return columns(HEADS, lines);
}

function cells({
  name,
  language,
  about,
  claims,
  ending,
  judgement,
  problem,
  seconds,
}: Row): string[] {
  const mark = {
    right: "",
    "false done": "**FALSE DONE** ",
    refused: "**REFUSED** ",
    broken: "",
    beyond: "",
  };
  return [
    name,
    language,
    about,
    claims,
    judgement === "broken" ? "**broken**" : `${mark[judgement]}${ending?.status}`,
    problem === "" ? (ending?.by ?? "") : problem,
    plain(ending?.tests_exit ?? null),
    seconds.toFixed(1),
  ].map((text) => cell(text, LONGEST));
}

/** What a loop that believes exit codes would have made of it. */
function plain(exit: number | null): string {
  return exit === null ? "no run" : exit === 0 ? "done" : "not done";
}
