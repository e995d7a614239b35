import {
  type Baseline,
  type CommandRun,
  type Comparison,
  type LoopState,
  type Objection,
  openObjections,
  placeText,
  type Receipt,
  redTestsOf,
  unknownTestsOf,
} from "@ccw-loop/core";
import type { NamedRow } from "../text/table.ts";

/** More lines of one kind say nothing new. */
const MOST = 10;

/** The first of many lines; the last one says how many are missing. */
export function firstLines(lines: readonly string[], most = MOST): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… and ${lines.length - most} more`];
}

export function countsText(counts: Receipt["counts"]): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

/** How the tests stood before the loop changed anything, a line for each suite. */
function baselineLines({ command, commands, counts, reason }: Baseline): string[] {
  if (command === "") return [reason];
  const [only, ...others] = commands;
  if (!only) return [`${command}: ${counts.total > 0 ? countsText(counts) : reason}`];
  if (others.length === 0) return [`${command}: ${outcomeText(only)}`];
  return commands.map((run) => {
    const source = run.source === undefined ? "" : ` (${run.source})`;
    return `${run.command}${source}: ${outcomeText(run)}`;
  });
}

/** Its counts, and why they are not all of it where its report cannot be trusted. */
function outcomeText({ counts, verdict, reason }: CommandRun): string {
  if (counts.total === 0) return reason;
  return verdict === "untrusted" ? `${countsText(counts)} (${reason})` : countsText(counts);
}

/** The same for a log, with the tests that the loop owes. */
export function baselineText(baseline: Baseline, { settings }: LoopState): string {
  const { owed } = redTestsOf({ baseline, settings });
  const names = owed.length === 0 ? "" : `. Red and owed: ${firstLines(owed, 3).join("; ")}`;
  const lost = unknownTestsOf({ baseline, settings })
    .map((name) => `. ${unknownText(name)}`)
    .join("");
  return `Before any change: ${baselineLines(baseline).join("; ")}${names}${lost}`;
}

function unknownText(name: string): string {
  return `No test is called ${JSON.stringify(name)}`;
}

/** The baseline, and what becomes of the tests that failed in it. */
export function baselineRows(state: LoopState): NamedRow[] {
  const { baseline } = state;
  if (!baseline) return [];
  const { owed, known_red } = redTestsOf(state);
  const unknown = unknownTestsOf(state);
  return [
    ["Baseline", baselineLines(baseline)],
    ["Owed", firstLines(owed)],
    ["Known-red", firstLines(known_red)],
    ...(unknown.length === 0 ? [] : [["No such test", unknown.map(unknownText)] as const]),
  ];
}

const CLASSES = [
  ["new_failures", "New failures", "failing now"],
  ["fixed", "Fixed", "fixed"],
  ["still_failing", "Still failing", "failed before and still failing"],
  ["owed", "Still owed", "owed"],
  ["flaky", "Flaky", "flaky"],
  ["removed", "Removed", "removed"],
  ["added", "Added", "added"],
] as const satisfies readonly [keyof Comparison, string, string][];

/** The tests of a run beside the baseline, by what became of them; what did not happen is left out. */
export function comparisonRows(comparison: Comparison | undefined): NamedRow[] {
  if (!comparison) return [];
  return CLASSES.map(([key, title]) => [title, firstLines(comparison[key])]);
}

/** The same in one clause, or undefined when there is nothing to tell. */
export function comparisonText(comparison: Comparison | undefined): string | undefined {
  const parts = CLASSES.flatMap(([key, , words]) => {
    const count = comparison?.[key].length ?? 0;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return parts.length === 0 ? undefined : `beside the tests before: ${parts.join(", ")}`;
}

/** What speaks against the last receipt as a proof, each with its place and whether somebody accepted it. */
export function objectionLines(state: LoopState): string[] {
  const objections = state.receipts?.at(-1)?.objections ?? [];
  const open = new Set(openObjections(state).map(({ key }) => key));
  return objections.map((objection) => {
    const word = open.has(objection.key) ? "open" : "accepted";
    return `${word}: ${objectionText(objection)}`;
  });
}

/** `The test is skipped now. (test/cart.js)`. */
export function objectionText(objection: Objection): string {
  return `${objection.message}${placeText(objection)}`;
}
