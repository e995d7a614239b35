import {
  type Hypothesis,
  type PredictionOutcome,
  type ProbeEvidence,
  probeEvidence,
  type Verdict,
} from "../state/hypothesis.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { DebugNote, SkillState } from "../state/skill-state.ts";
import { counted, safeJson } from "../text.ts";
import { dataPart, heading } from "./data-part.ts";
import { findings, predictedLines, probeText, repairLines, testList } from "./debug-findings.ts";
import { code, document, inline, quote } from "./markdown.ts";

/**
 * debug.md, for somebody who was not there: what was tried in which order and what it showed, every hypothesis
 * with how it was repaired, and what is understood now.
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
    ...debug.hypotheses.flatMap((idea) => hypothesisEntry(idea, skill)),
    debug.hypotheses.length === 0 ? "_None_" : undefined,
    "---",
    "## Current Consolidated Understanding",
    ...findings(skill),
    dataPart("debug", state, { debug }),
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

function hypothesisEntry(idea: Hypothesis, skill: SkillState): string[] {
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
      ...repairLines(idea, skill),
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
  return `${counted(length, "probe run")}, see the timeline`;
}

/** How many of a probe's last lines are shown; all that is kept of it is in debug.log. */
const LINES_SHOWN = 20;

/** What happened to one hypothesis in one round. */
interface Trial {
  round: number;
  idea: Hypothesis;
  evidence: ProbeEvidence[];
  verdicts: Verdict[];
}

/** The rounds of one analysis: each hypothesis with its probe, what it showed, and the verdict on that. */
function roundsOf(iteration: number, ideas: readonly Hypothesis[]): string[] {
  const trials = ideas.flatMap((idea): Trial[] => {
    const evidence = probeEvidence(idea).filter(({ data }) => data.iteration === iteration);
    const verdicts = (idea.verdicts ?? []).filter((verdict) => verdict.iteration === iteration);
    const numbers = [
      ...evidence.map(({ data }) => data.round ?? 1),
      ...verdicts.map((v) => v.round),
    ];
    return [...new Set(numbers)].map((round) => ({
      round,
      idea,
      evidence: evidence.filter(({ data }) => (data.round ?? 1) === round),
      verdicts: verdicts.filter((verdict) => verdict.round === round),
    }));
  });
  return [...Map.groupBy(trials, ({ round }) => round)]
    .sort(([a], [b]) => a - b)
    .flatMap(([round, its]) => [`#### Round ${round}`, ...its.flatMap(trialEntry)]);
}

function trialEntry({ idea, evidence, verdicts }: Trial): string[] {
  const hypothesis = `- **Hypothesis**: ${code(idea.id)} ${inline(idea.description)}`;
  const verdict = verdicts.map(
    ({ status, reason }) =>
      `- **Verdict**: ${status.toUpperCase()} ${inline(reason || "without a reason")}`,
  );
  const [first, ...more] = evidence.map(({ data }) => [probeLines(data), output(data)] as const);
  return [
    first ? `${hypothesis}\n${first[0]}` : hypothesis,
    ...(first?.[1] ?? []),
    ...more.flatMap(([lines, printed]) => [lines, ...printed]),
    ...(verdict.length === 0 ? ["_No verdict yet_"] : [verdict.join("\n")]),
  ];
}

function probeLines(data: ProbeEvidence["data"]): string {
  const { command, probe, instrumented, shows } = data;
  return [
    `- **Probe**: ${code(command)}`,
    ...(probe ? predictedLines(probe) : []),
    ...(instrumented.length > 0
      ? [`- **Instrumented**: ${instrumented.map((path) => code(path)).join(", ")}`]
      : []),
    `- **Showed**: ${showedText(data)}`,
    ...(shows ? [`- **Met**: ${MET[shows]}`] : []),
  ].join("\n");
}

const MET: Readonly<Record<PredictionOutcome, string>> = {
  holds: "what was predicted if it holds",
  does_not_hold: "what was predicted if it does not hold",
  neither: "neither prediction",
  both: "both predictions",
};

function showedText({ exit_code, duration_ms, timed_out, not_run }: ProbeEvidence["data"]): string {
  if (not_run !== undefined) return `nothing, it could not be run: ${inline(not_run)}`;
  if (timed_out) return `it did not end and was stopped after ${duration_ms}ms`;
  return `exit code ${exit_code ?? "unknown"} after ${duration_ms}ms`;
}

function output({ output, not_run }: ProbeEvidence["data"]): string[] {
  if (not_run !== undefined) return [];
  if (output.trim() === "") return ["_It printed nothing_"];
  return [quote(output.trimEnd().split("\n").slice(-LINES_SHOWN).join("\n"))];
}
