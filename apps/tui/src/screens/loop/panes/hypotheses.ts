import {
  counted,
  type Hypothesis,
  type HypothesisStatus,
  type LoopState,
  predictionText,
  probeEvidence,
} from "@ccw-loop/core";
import type { Tone } from "@ccw-loop/view";
import { indented, type Line, line, span, wrapped } from "../../../components/line.ts";

const LOOKS: Readonly<Record<HypothesisStatus, readonly [glyph: string, tone: Tone]>> = {
  pending: ["○", "plain"],
  confirmed: ["✔", "good"],
  rejected: ["✖", "quiet"],
  inconclusive: ["?", "warning"],
};

/** The hypotheses, the most likely first, with what became of each; `whole` with its reasons and evidence. */
export function hypothesisLines(state: LoopState, columns: number, whole: boolean): Line[] {
  const ideas = ideasOf(state);
  if (ideas.length === 0) return [line("No hypothesis: nothing was debugged.", "quiet")];
  return ideas.flatMap((idea) => {
    const [glyph, tone] = LOOKS[idea.status];
    const head: Line = [
      span(`${glyph} ${idea.id} `, tone),
      span(factsOf(idea), "quiet"),
      span(`: ${idea.description}`),
    ];
    return whole ? [...wholeIdea(idea, columns), line("")] : [head];
  });
}

function ideasOf(state: LoopState): Hypothesis[] {
  const ideas = state.skill_state?.debug.hypotheses ?? [];
  return ideas.toSorted((a, b) => a.likelihood - b.likelihood);
}

/** Confirmed causes and ideas that are still to be tried. */
export function openIdeas(state: LoopState): Hypothesis[] {
  return ideasOf(state).filter(
    ({ status, closed_at }) => status === "pending" || (status === "confirmed" && !closed_at),
  );
}

export function ideaNote(state: LoopState): string {
  const ideas = ideasOf(state);
  return ideas.length === 0 ? "" : `${openIdeas(state).length} open of ${ideas.length}`;
}

/** `#1 confirmed, closed, 2 probes`. */
function factsOf(idea: Hypothesis): string {
  return [
    `#${idea.likelihood} ${idea.status}`,
    ...(idea.closed_at ? [idea.settled_at ? "settled" : "closed"] : []),
    counted(probeEvidence(idea).length, "probe"),
  ].join(", ");
}

/** The same without glyphs, for a screen reader. */
export function ideaSentences(state: LoopState): Line[] {
  return ideasOf(state).flatMap((idea) => [
    line(`Hypothesis ${idea.id}, ${factsOf(idea)}: ${idea.description}`),
    ...detailsOf(idea).map(([name, text]) => line(`${name}: ${text}`)),
  ]);
}

function wholeIdea(idea: Hypothesis, columns: number): Line[] {
  const [glyph, tone] = LOOKS[idea.status];
  const details = detailsOf(idea).flatMap(([name, text]) =>
    wrapped(`${name}: ${text}`, columns - 2, "quiet"),
  );
  const head = wrapped(`${glyph} ${idea.id} ${factsOf(idea)}: ${idea.description}`, columns, tone);
  return [...head, ...indented(details, 2)];
}

/** What it rests on; what there is nothing of is left out. */
function detailsOf(idea: Hypothesis): [name: string, text: string][] {
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
