import { machine } from "../../support/figures.ts";
import { cell, columns } from "../../support/report-page.ts";
import type { Observed } from "./observed.ts";
import type { Group, Project } from "./project.ts";
import type { Row } from "./survey.ts";

const HEADS = [
  ...["project", "language, runner", "tests", "read by", "before", "owed", "verdicts", "runs"],
  ...["s", "× plain", "result"],
];
const LONGEST = 90;

/**
 * The tables of all groups. A project that was not played this time keeps its line of `written`, where it has one: a
 * survey of some hours may be made in parts.
 */
export function tables(groups: readonly Group[], rows: readonly Row[], written = ""): string {
  const earlier = linesOf(written);
  const parts = groups.flatMap(({ title, projects }) => {
    const lines = projects.flatMap((project) => {
      const row = rows.find((one) => one.project.name === project.name);
      const line = row ? cellsOf(row) : earlier.get(project.name);
      return line ? [line] : [];
    });
    return lines.length === 0 ? [] : [`${title}:`, "", columns(HEADS, lines), ""];
  });
  return [...parts, `Machine: ${machine()}.`, ""].join("\n");
}

/** The cells of each line of tables that were written before, by project. */
function linesOf(written: string): Map<string, string[]> {
  return new Map(
    written
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) =>
        line
          .slice(2, -2)
          .split(/(?<!\\)\|/)
          .map((text) => text.trim()),
      )
      .map((cells) => [cells[0] ?? "", cells]),
  );
}

function cellsOf(row: Row): string[] {
  const { project, played } = row;
  const loop = played?.loop;
  const before = loop?.before;
  const ratio = played?.plain?.exit === 0 ? played.seconds / played.plain.seconds : null;
  return [
    project.name,
    project.tools,
    loop?.commands.map(({ command }) => `\`${inFolder(command, project)}\``).join(", ") || "none",
    loop?.commands.map(({ report }) => reader(report)).join(", ") || "–",
    before ? `${before.passed}/${before.failed}/${before.skipped}` : "–",
    loop ? owed(loop.owed) : "–",
    loop?.verdicts.join(", ") || "–",
    loop ? String(loop.runs) : "–",
    played ? played.seconds.toFixed(0) : "–",
    ratio === null ? "–" : ratio.toFixed(0),
    resultOf(row),
  ].map((text) => cell(text, LONGEST));
}

function inFolder(command: string, { folder }: Project): string {
  return folder === undefined ? command : `${folder}: ${command}`;
}

function reader(report: string | null): string {
  return report === null || report === "exit-code" ? "**exit code alone**" : report;
}

function owed({ tests, commands }: Observed["owed"]): string {
  return [tests || "", commands ? `${commands} command` : ""].filter(Boolean).join(", ") || "0";
}

function resultOf({ project, played, problems, missing }: Row): string {
  if (missing !== null) return `not played: ${missing}`;
  if (problems.length > 0) return `**${problems.join(" ")}**`;
  if (project.expected !== undefined) return project.expected;
  return played?.verify ? "proven, stands" : "proven";
}
