import { failingTests } from "../state/failing-tests.ts";
import type { Hypothesis, HypothesisStatus } from "../state/hypothesis.ts";
import type { SkillState } from "../state/skill-state.ts";
import { probeText } from "./debug-text.ts";
import { code, inline, quote } from "./markdown.ts";

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
    ...listOf("### Root Cause Identified", having("confirmed"), withReason),
    ...listOf("### What Was Disproven", having("rejected"), withReason),
    "### Current Investigation Focus",
    focus(skill, open[0]),
    ...listOf("### Remaining Questions", open, withReason),
  ];
}

function failing(skill: SkillState): string[] {
  const tests = failingTests(skill);
  if (tests.length === 0) return [];
  const shown = tests.slice(0, TESTS_SHOWN).map((name) => `- Fails now: ${code(name)}`);
  const more = tests.length - shown.length;
  return [[...shown, ...(more > 0 ? [`- … (${more} more)`] : [])].join("\n")];
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

function withReason({ description, verdict_reason }: Hypothesis): string {
  return [description, verdict_reason].filter(Boolean).join(" - ");
}

function listOf(
  title: string,
  ideas: readonly Hypothesis[],
  text: (idea: Hypothesis) => string,
): string[] {
  if (ideas.length === 0) return [];
  return [title, ideas.map((idea) => `- ${code(idea.id)}: ${inline(text(idea))}`).join("\n")];
}
