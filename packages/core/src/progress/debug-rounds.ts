import {
  type Hypothesis,
  type ProbeEvidence,
  probeEvidence,
  type Verdict,
} from "../state/hypothesis.ts";
import type { PredictionOutcome } from "../state/prediction.ts";
import { predictedLines } from "./debug-text.ts";
import { code, inline, quote } from "./markdown.ts";

/** How many of a probe's last lines are shown; all that is kept of it is in debug.log. */
const LINES_SHOWN = 20;

/** What happened to one hypothesis in one round. */
interface Trial {
  idea: Hypothesis;
  evidence: ProbeEvidence[];
  verdicts: Verdict[];
}

/** The rounds of one analysis: each hypothesis with its probe, what it showed, and the verdict on that. */
export function roundsOf(iteration: number, ideas: readonly Hypothesis[]): string[] {
  const rounds = new Map<number, Trial[]>();
  for (const idea of ideas) {
    const evidence = probeEvidence(idea).filter(({ data }) => data.iteration === iteration);
    const verdicts = (idea.verdicts ?? []).filter((verdict) => verdict.iteration === iteration);
    const numbers = [
      ...evidence.map(({ data }) => data.round ?? 1),
      ...verdicts.map((v) => v.round),
    ];
    for (const round of new Set(numbers)) {
      const trial: Trial = {
        idea,
        evidence: evidence.filter(({ data }) => (data.round ?? 1) === round),
        verdicts: verdicts.filter((verdict) => verdict.round === round),
      };
      rounds.set(round, [...(rounds.get(round) ?? []), trial]);
    }
  }
  return [...rounds]
    .sort(([a], [b]) => a - b)
    .flatMap(([round, trials]) => [`#### Round ${round}`, ...trials.flatMap(trialEntry)]);
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
