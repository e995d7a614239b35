import { type Hypothesis, probeEvidence } from "../state/hypothesis.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { DebugNote, SkillState } from "../state/skill-state.ts";
import { dataPart } from "./data-part.ts";
import { findings } from "./debug-findings.ts";
import { resolutions } from "./debug-resolution.ts";
import { roundsOf } from "./debug-rounds.ts";
import { predictedLines, probeText, testList } from "./debug-text.ts";
import { heading, loopFacts } from "./loop-facts.ts";
import { code, document, inline, quote } from "./markdown.ts";
import { safeJson } from "./safe-text.ts";

/**
 * debug.md, for somebody who was not there: what was tried in which order and what it showed, every hypothesis, what
 * is understood now, and how the cause was repaired.
 */
export function renderDebug(state: LoopState, skill: SkillState): string {
  const { debug } = skill;
  const notes = debug.notes ?? [];
  return document([
    "# Understanding Document",
    heading(state, { "Bug Description": debug.active_bug ?? "None" }),
    "---",
    "## Exploration Timeline",
    ...notes.flatMap((note) => timelineEntry(note, debug)),
    ...underWay(debug),
    notes.length === 0 ? "_No analysis yet_" : undefined,
    "## Hypotheses",
    ...debug.hypotheses.flatMap(hypothesisEntry),
    debug.hypotheses.length === 0 ? "_None_" : undefined,
    "---",
    "## Current Consolidated Understanding",
    ...findings(skill),
    "---",
    "## Root Cause and Resolution",
    ...resolutions(skill),
    dataPart("debug", { version: 1, loop: loopFacts(state), debug }),
  ]);
}

function timelineEntry(note: DebugNote, { hypotheses }: SkillState["debug"]): string[] {
  const ids = note.hypotheses.map((id) => code(id)).join(", ");
  return [
    `### Iteration ${note.iteration} - Analysis (${note.at})`,
    "#### Current Understanding",
    note.text.trim() ? quote(note.text) : "_Nothing was said_",
    ...roundsOf(note.iteration, hypotheses),
    `**Hypotheses touched**: ${ids || "none"}`,
    "---",
  ];
}

/** Probes of an analysis that has not come to its end. */
function underWay({ hypotheses, notes = [] }: SkillState["debug"]): string[] {
  const told = new Set(notes.map(({ iteration }) => iteration));
  const known = hypotheses.flatMap((idea) =>
    probeEvidence(idea).flatMap(({ data }) => data.iteration ?? []),
  );
  const open = [...new Set(known)]
    .filter((iteration) => !told.has(iteration))
    .sort((a, b) => a - b);
  return open.flatMap((iteration) => [
    `### Analysis ${iteration} is under way`,
    ...roundsOf(iteration, hypotheses),
    "---",
  ]);
}

function hypothesisEntry(idea: Hypothesis): string[] {
  const { probe, claimed_evidence: claimed, explains = [] } = idea;
  return [
    `### ${inline(idea.id)} - ${idea.status.toUpperCase()}`,
    quote(idea.description || "No description."),
    [
      `- **Testable condition**: ${inline(idea.testable_condition)}`,
      `- **Logging point**: ${inline(idea.logging_point)}`,
      `- **Likelihood**: ${idea.likelihood}`,
      `- **Confirmed by**: ${inline(idea.evidence_criteria.confirm)}`,
      `- **Rejected by**: ${inline(idea.evidence_criteria.reject)}`,
      ...(probe ? [`- **Probe**: ${probeText(probe.command)}`, ...predictedLines(probe)] : []),
      ...(explains.length > 0 ? [`- **Would explain**: ${testList(explains)}`] : []),
      `- **Evidence**: ${evidenceText(idea)}`,
      ...(claimed === undefined
        ? []
        : [`- **Claimed by the agent**: ${code(safeJson(claimed), 2_000)}`]),
      `- **Reasoning**: ${inline(idea.verdict_reason ?? "none")}`,
    ].join("\n"),
  ];
}

/** Probe runs are told in the timeline; what else is in the state stands here as it is. */
function evidenceText(idea: Hypothesis): string {
  if (idea.evidence === null) return "none";
  const { length } = probeEvidence(idea);
  if (length === 0 || length < Object.keys(idea.evidence).length) {
    return code(safeJson(idea.evidence), 2_000);
  }
  return `${length} probe run${length === 1 ? "" : "s"}, see the timeline`;
}
