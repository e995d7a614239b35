import { failingTests } from "../state/derived.ts";
import {
  confirmingEvidence,
  type Hypothesis,
  type HypothesisStatus,
  judgeEvidence,
  type Prediction,
  type Probe,
  type ProbeEvidence,
  predictionText,
  probeEvidence,
} from "../state/hypothesis.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { DebugNote, SkillState } from "../state/skill-state.ts";
import { counted, firstOf, safeJson } from "../text.ts";
import { dataPart, heading } from "./data-part.ts";
import { bullets, code, document, inline, quote, section } from "./markdown.ts";

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

interface Trial {
  idea: Hypothesis;
  data: ProbeEvidence["data"];
}

/** The rounds of one analysis: each probe with its hypothesis, what it showed, and what that says. */
function roundsOf(iteration: number, ideas: readonly Hypothesis[]): string[] {
  const trials = ideas.flatMap((idea): Trial[] =>
    probeEvidence(idea)
      .filter(({ data }) => data.iteration === iteration)
      .map(({ data }) => ({ idea, data })),
  );
  return [...Map.groupBy(trials, ({ data }) => data.round ?? 1)]
    .sort(([a], [b]) => a - b)
    .flatMap(([round, its]) => [`#### Round ${round}`, ...its.flatMap(trialEntry)]);
}

function trialEntry({ idea, data }: Trial): string[] {
  const { status, reason } = judgeEvidence(data);
  return [
    `- **Hypothesis**: ${code(idea.id)} ${inline(idea.description)}\n${probeLines(data)}`,
    ...output(data),
    `- **Verdict**: ${status.toUpperCase()} ${inline(reason)}`,
  ];
}

function probeLines(data: ProbeEvidence["data"]): string {
  const { command, probe, instrumented } = data;
  return [
    `- **Probe**: ${code(command)}`,
    ...(probe ? predictedLines(probe) : []),
    ...(instrumented.length > 0
      ? [`- **Instrumented**: ${instrumented.map((path) => code(path)).join(", ")}`]
      : []),
    `- **Showed**: ${showedText(data)}`,
  ].join("\n");
}

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

const TESTS_SHOWN = 20;

/** What stands now: what is known, the cause, what is ruled out in a line each, what is looked at, what is open. */
function findings(skill: SkillState): string[] {
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
function repairLines(cause: Hypothesis, { develop }: SkillState): string[] {
  const { status, closed_at, settled_at, explains = [] } = cause;
  const isConfirmed = status === "confirmed";
  if (!isConfirmed && !confirmingEvidence(cause)) return [];
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

function probeText(command: string | null): string {
  return command === null ? "the project's own tests" : code(command);
}

function testList(tests: readonly string[]): string {
  const names = tests.map((name) => code(name));
  return firstOf(names, TESTS_IN_LINE);
}

/** What a probe was predicted to show; nothing for one of an older version, which predicted nothing comparable. */
function predictedLines({ if_holds, if_not }: Probe): string[] {
  const line = (name: string, prediction: Prediction) =>
    prediction.length === 0 ? [] : [`- **${name}**: ${code(predictionText(prediction))}`];
  return [...line("If it holds", if_holds), ...line("If it does not", if_not)];
}
