import type { LoopState } from "../state/loop-state.ts";
import type { Comparison, Objection } from "../state/receipt.ts";
import type { SkillState } from "../state/skill-state.ts";
import { code, inline, table } from "./markdown.ts";

const TESTS_SHOWN = 20;
const FILES_SHOWN = 50;
const OBJECTIONS_SHOWN = 50;

/** Coverage over all, and the files with the least of it. */
export function coverageReport({
  coverage,
  coverage_files = [],
}: SkillState["validate"]): string[] {
  if (coverage === null) return ["_No coverage data available_"];
  const overall = `**Overall Coverage**: ${coverage}%`;
  if (coverage_files.length === 0) return [overall];
  const least = [...coverage_files].sort((a, b) => a.lines - b.lines);
  const more = least.length - FILES_SHOWN;
  return [
    overall,
    table(
      ["File", "Lines"],
      least.slice(0, FILES_SHOWN).map(({ path, lines }) => [path, `${lines}%`]),
    ),
    ...(more > 0 ? [`_… ${more} more files_`] : []),
  ];
}

const GROUPS: readonly [keyof Comparison & string, string][] = [
  ["new_failures", "New failures"],
  ["owed", "Failed before, to be repaired by this loop"],
  ["still_failing", "Failed before and still fail"],
  ["fixed", "Fixed"],
  ["flaky", "Flaky: passed and failed on the same files"],
  ["removed", "Not run any more"],
  ["added", "Added"],
];

/** The run beside the baseline, test by test. */
export function comparisonReport(comparison: Comparison | undefined): string[] {
  if (!comparison) return [];
  const groups = GROUPS.map(([key, title]) => [title, comparison[key] as string[]] as const);
  const counts = groups.map(([title, tests]) => [title, String(tests.length)]);
  return [
    "### Compared with the Baseline",
    table(["Tests", "Count"], counts),
    ...groups.flatMap(([title, tests]) => (tests.length === 0 ? [] : [group(title, tests)])),
  ];
}

function group(title: string, tests: readonly string[]): string {
  const shown = tests.slice(0, TESTS_SHOWN).map((name) => `- ${inline(name)}`);
  const more = tests.length - shown.length;
  return [`**${title}**:`, "", ...shown, ...(more > 0 ? [`- … (${more} more)`] : [])].join("\n");
}

/** What speaks against the run as a proof, and whether somebody accepted it. */
export function objectionReport(
  { accepted = [] }: LoopState,
  { objections = [] }: SkillState["validate"],
): string[] {
  if (objections.length === 0) return [];
  const more = objections.length - OBJECTIONS_SHOWN;
  return [
    "### Objections",
    ...objections.slice(0, OBJECTIONS_SHOWN).map((one) => objectionEntry(one, accepted)),
    ...(more > 0 ? [`_… ${more} more_`] : []),
  ];
}

function objectionEntry(objection: Objection, accepted: readonly string[]): string {
  const { key, kind, path, line, text, message, allowed } = objection;
  const place = path === "" ? "" : ` in ${code(line === null ? path : `${path}:${line}`)}`;
  const standing = allowed ? "allowed" : accepted.includes(key) ? "accepted" : "open";
  const what = text === "" ? "" : `\n- **Line**: ${code(text)}`;
  return `- **${standing.toUpperCase()}**: ${code(kind)}${place}: ${inline(message)}${what}`;
}
