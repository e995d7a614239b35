import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "./bench.ts";
import { machine } from "./machine.ts";
import { table } from "./table.ts";
import { classLines } from "./verdict.ts";

const PAGE = join(import.meta.dirname, "../../../docs/liars.md");
const BEGIN = "<!-- table -->";
const END = "<!-- /table -->";

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
    `Machine: ${machine()}. Duration: ${Math.round(seconds)} s.`,
    "",
  ].join("\n");
}

/** Puts the report between the marks of docs/liars.md. */
export function writeReport(text: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${PAGE} lacks ${BEGIN} … ${END}.`);
  writeFileSync(PAGE, `${before}${BEGIN}\n${text}${END}${after}`);
}
