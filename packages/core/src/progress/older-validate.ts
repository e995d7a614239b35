import { tryParseJson } from "../json.ts";
import { isPlain, type Plain } from "../state/plain.ts";
import { Timestamp } from "../state/time.ts";
import { cellOf, fieldOf, type Section, sectionsOf, textOf } from "./sections.ts";

/**
 * `skill_state.validate` from test-results.json and coverage.json where there are any, else from the headings
 * of a validate.md without a usable data part. Always stale: what cannot be proven is run again.
 */
export function validateFromHeadings(text: string, results?: string, coverage?: string): Plain {
  const sections = sectionsOf(text);
  const lines = sections.flatMap((section) => section.lines);
  const stored = tryParseJson(results);
  const known = isPlain(stored) ? stored : {};
  const tests = Array.isArray(known.tests) ? known.tests : failuresOf(sections);
  const names = tests.flatMap((test: unknown) =>
    isPlain(test) && test.status === "failed" && typeof test.test_name === "string"
      ? [test.test_name]
      : [],
  );
  const at = Timestamp.safeParse(known.timestamp ?? fieldOf(lines, "Validated"));
  const decision = fieldOf(lines, "Result")?.replaceAll("*", "").trim().toUpperCase() ?? "";
  const summary = isPlain(known.summary) ? known.summary : {};
  return {
    pass_rate: numberOf(summary.pass_rate) ?? numberOf(cellOf(lines, "Pass Rate")) ?? null,
    coverage:
      overallOf(tryParseJson(coverage)) ??
      overallOf(known.coverage) ??
      numberOf(fieldOf(lines, "Overall Coverage")) ??
      null,
    test_results: tests,
    passed: typeof known.passed === "boolean" ? known.passed : decision.startsWith("PASS"),
    failed_tests: Array.isArray(known.failed_tests) ? known.failed_tests : names,
    last_run_at: at.success ? at.data : null,
    stale: true,
  };
}

/** The failed tests of the last run; the report names no others. */
function failuresOf(sections: readonly Section[]): Plain[] {
  const from = sections.findLastIndex((section) => section.title === "Failed Tests");
  if (from === -1) return [];
  const end = sections.findIndex((section, i) => i > from && section.level !== 4);
  return sections.slice(from + 1, end === -1 ? undefined : end).map((section) => ({
    test_name: section.title,
    suite: fieldOf(section.lines, "Suite") ?? "",
    status: "failed",
    error_message: fieldOf(section.lines, "Error") ?? (quotedText(section) || null),
  }));
}

function quotedText(section: Section): string {
  return textOf({ ...section, lines: section.lines.filter((line) => line.startsWith(">")) });
}

/** `95.5`, `"95.5"`, `"95.5%"` → 95.5 */
function numberOf(value: unknown): number | undefined {
  const text = typeof value === "string" ? value.replace("%", "").trim() : value;
  if (text === "" || (typeof text !== "string" && typeof text !== "number")) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** One figure out of a number, `{overall: …}` or `{lines, statements, …}`. */
function overallOf(value: unknown): number | undefined {
  if (!isPlain(value)) return numberOf(value);
  return overallOf(value.overall) ?? numberOf(value.lines) ?? numberOf(value.statements);
}
