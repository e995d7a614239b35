import type { Hypothesis } from "../state/hypothesis.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { DebugNote, SkillState } from "../state/skill-state.ts";
import { dataPart } from "./data-part.ts";
import { heading, loopFacts } from "./loop-facts.ts";
import { code, document, inline, quote } from "./markdown.ts";
import { safeJson } from "./safe-text.ts";

/** debug.md: one timeline entry per DEBUG, then every hypothesis, and last what is understood now. */
export function renderDebug(state: LoopState, skill: SkillState): string {
  const { debug } = skill;
  const notes = debug.notes ?? [];
  return document([
    "# Understanding Document",
    heading(state, { "Bug Description": debug.active_bug ?? "None" }),
    "---",
    "## Exploration Timeline",
    ...notes.flatMap(timelineEntry),
    notes.length === 0 ? "_No analysis yet_" : undefined,
    "## Hypotheses",
    ...debug.hypotheses.flatMap(hypothesisEntry),
    debug.hypotheses.length === 0 ? "_None_" : undefined,
    "---",
    "## Current Consolidated Understanding",
    notes.at(-1)?.text.trim() ? quote(notes.at(-1)?.text ?? "") : "_Nothing yet_",
    ...consolidated(debug),
    dataPart("debug", { version: 1, loop: loopFacts(state), debug }),
  ]);
}

function timelineEntry(note: DebugNote): string[] {
  const ids = note.hypotheses.map((id) => code(id)).join(", ");
  return [
    `### Iteration ${note.iteration} - Analysis (${note.at})`,
    "#### Current Understanding",
    note.text.trim() ? quote(note.text) : "_Nothing was said_",
    `**Hypotheses touched**: ${ids || "none"}`,
    "---",
  ];
}

function hypothesisEntry(idea: Hypothesis): string[] {
  return [
    `### ${inline(idea.id)} - ${idea.status.toUpperCase()}`,
    quote(idea.description || "No description."),
    [
      `- **Testable condition**: ${inline(idea.testable_condition)}`,
      `- **Logging point**: ${inline(idea.logging_point)}`,
      `- **Likelihood**: ${idea.likelihood}`,
      `- **Confirmed by**: ${inline(idea.evidence_criteria.confirm)}`,
      `- **Rejected by**: ${inline(idea.evidence_criteria.reject)}`,
      `- **Evidence**: ${idea.evidence === null ? "none" : code(safeJson(idea.evidence), 2_000)}`,
      `- **Reasoning**: ${inline(idea.verdict_reason ?? "none")}`,
    ].join("\n"),
  ];
}

/** Proven causes first, disproven ones in a line each, then what is still open. */
function consolidated(debug: SkillState["debug"]): string[] {
  const listOf = (title: string, ideas: readonly Hypothesis[], text: (h: Hypothesis) => string) =>
    ideas.length === 0
      ? []
      : [title, ideas.map((idea) => `- ${code(idea.id)}: ${inline(text(idea))}`).join("\n")];
  const having = (...statuses: Hypothesis["status"][]) =>
    debug.hypotheses.filter((idea) => statuses.includes(idea.status));
  return [
    ...listOf("### Root Cause Identified", having("confirmed"), (h) =>
      [h.description, h.verdict_reason].filter(Boolean).join(" "),
    ),
    ...listOf("### What Was Disproven", having("rejected"), (h) => h.description),
    ...listOf("### Remaining Questions", having("pending", "inconclusive"), (h) => h.description),
  ];
}
