import { machine } from "../../../quality/loops/machine.ts";
import { Page } from "../../../quality/loops/page.ts";
import type { Result } from "./bench.ts";
import { table } from "./table.ts";
import { classLines } from "./verdict.ts";

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

/** Puts the report into docs/liars.md. */
export function writeReport(text: string): void {
  new Page("liars.md").write(text);
}
