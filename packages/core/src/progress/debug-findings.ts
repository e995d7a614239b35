import { failingTests } from "../state/derived.ts";
import {
  type Hypothesis,
  type HypothesisStatus,
  type Prediction,
  type Probe,
  predictionText,
} from "../state/hypothesis.ts";
import type { SkillState } from "../state/skill-state.ts";
import { bullets, code, inline, quote, section } from "./markdown.ts";

const TESTS_SHOWN = 20;

/** What stands now: what is known, the cause, what is ruled out in a line each, what is looked at, what is open. */
export function findings(skill: SkillState): string[] {
  const { hypotheses, notes = [] } = skill.debug;
  const having = (...statuses: HypothesisStatus[]) =>
    hypotheses.filter((idea) => statuses.includes(idea.status));
  const last = notes.at(-1)?.text ?? "";
  const open = having("pending", "inconclusive").sort((a, b) => a.likelihood - b.likelihood);
  return [
    "### What We Know",
    last.trim() ? quote(last) : "_Nothing yet_",
    ...failing(skill),
    ...section("### Root Cause Identified", having("confirmed").map(withReason)),
    ...section("### What Was Disproven", having("rejected").map(withReason)),
    "### Current Investigation Focus",
    focus(skill, open[0]),
    ...section("### Remaining Questions", open.map(withReason)),
  ];
}

function failing(skill: SkillState): string[] {
  const tests = failingTests(skill);
  if (tests.length === 0) return [];
  return [bullets(tests, TESTS_SHOWN, (name) => `Fails now: ${code(name)}`)];
}

function focus({ debug }: SkillState, next: Hypothesis | undefined): string {
  const cause = debug.hypotheses.find(
    (idea) => idea.id === debug.confirmed_hypothesis && idea.status === "confirmed",
  );
  if (cause && !cause.closed_at)
    return `- The fix of ${code(cause.id)}: ${inline(cause.description)}`;
  if (next) {
    const probe = next.probe ? `, by ${probeText(next.probe.command)}` : "";
    return `- ${code(next.id)}: ${inline(next.description)}${probe}`;
  }
  return cause ? "_Nothing: the cause is found and repaired_" : "_Nothing yet_";
}

function withReason({ id, description, verdict_reason }: Hypothesis): string {
  return `${code(id)}: ${inline([description, verdict_reason].filter(Boolean).join(" - "))}`;
}

/** Of a hypothesis that was once confirmed: the tasks that repair it, and whether it is closed. */
export function repairLines(cause: Hypothesis, { develop }: SkillState): string[] {
  const { status, verdicts = [], closed_at, settled_at, explains = [] } = cause;
  const isConfirmed = status === "confirmed";
  if (!isConfirmed && !verdicts.some((verdict) => verdict.status === "confirmed")) return [];
  const fixes = develop.tasks.filter((task) => task.fixes === cause.id);
  const tests = explains.length > 0 ? "these tests" : "all tests";
  const open = `open until ${tests} are green and its probe shows that it does not hold any more`;
  const reopened = `reopened: the fix did not make ${tests} green, or the evidence did not hold`;
  const settled = settled_at
    ? " and its probe showed that it does not hold any more"
    : "; not settled by evidence";
  const closed = `closed ${closed_at}, when ${tests} were green again${settled}`;
  return [
    ...fixes.map(
      ({ id, description, status, completed_at }) =>
        `- **Fix**: ${code(id)} ${inline(description)} (${completed_at ?? status})`,
    ),
    ...(fixes.length === 0 ? ["- **Fix**: no task of its own"] : []),
    `- **Standing**: ${isConfirmed ? (closed_at ? closed : open) : reopened}`,
  ];
}

const TESTS_IN_LINE = 10;

export function probeText(command: string | null): string {
  return command === null ? "the project's own tests" : code(command);
}

/** Test names in one line. */
export function testList(tests: readonly string[]): string {
  const shown = tests.slice(0, TESTS_IN_LINE).map((name) => code(name));
  const more = tests.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** What a probe was predicted to show; nothing for one of an older version, which predicted nothing comparable. */
export function predictedLines({ if_holds, if_not }: Probe): string[] {
  const line = (name: string, prediction: Prediction) =>
    prediction.length === 0 ? [] : [`- **${name}**: ${code(predictionText(prediction))}`];
  return [...line("If it holds", if_holds), ...line("If it does not", if_not)];
}
