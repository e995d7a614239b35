import {
  counted,
  type Hypothesis,
  type HypothesisStatus,
  type LoopState,
  predictionText,
  probeEvidence,
} from "@ccw-loop/core";
import type { Tone } from "../text/paint.ts";

export const HYPOTHESIS_LOOKS: Readonly<
  Record<HypothesisStatus, readonly [glyph: string, tone: Tone]>
> = {
  pending: ["○", "plain"],
  confirmed: ["✔", "good"],
  rejected: ["✖", "quiet"],
  inconclusive: ["?", "warning"],
};

/** The hypotheses of a loop, the most likely first. */
export function ideasOf(state: LoopState): Hypothesis[] {
  const ideas = state.skill_state?.debug.hypotheses ?? [];
  return ideas.toSorted((a, b) => a.likelihood - b.likelihood);
}

/** Confirmed causes and ideas that are still to be tried. */
export function openIdeas(state: LoopState): Hypothesis[] {
  return ideasOf(state).filter(
    ({ status, closed_at }) => status === "pending" || (status === "confirmed" && !closed_at),
  );
}

/** `#1 confirmed, closed, 2 probes`. */
export function factsOf(idea: Hypothesis): string {
  return [
    `#${idea.likelihood} ${idea.status}`,
    ...(idea.closed_at ? [idea.settled_at ? "settled" : "closed"] : []),
    counted(probeEvidence(idea).length, "probe"),
  ].join(", ");
}

/** What it rests on; what there is nothing of is left out. */
export function detailsOf(idea: Hypothesis): [name: string, text: string][] {
  const seen = probeEvidence(idea).map(({ data }): [string, string] => {
    const shown = `exit code ${data.exit_code ?? "none"}: ${data.output.trim()}`;
    return ["Seen", data.not_run ?? shown];
  });
  const all: [string, string | null | undefined][] = [
    ["If", idea.testable_condition],
    ["Probe", idea.probe?.command],
    ["If it holds", idea.probe && predictionText(idea.probe.if_holds)],
    ["If it does not", idea.probe && predictionText(idea.probe.if_not)],
    ...seen,
    ["Verdict", idea.verdict_reason],
    ["Explains", idea.explains?.join(", ")],
  ];
  return all.flatMap(([name, text]) => (text ? [[name, text]] : []));
}
