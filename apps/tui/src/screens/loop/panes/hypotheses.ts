import type { Hypothesis, LoopState } from "@ccw-loop/core";
import { detailsOf, factsOf, HYPOTHESIS_LOOKS, ideasOf, openIdeas } from "@ccw-loop/view";
import { indented, type Line, line, span, wrapped } from "../../../components/line.ts";
import type { Pane } from "./pane.ts";

export const hypothesesPane: Pane = {
  title: "Hypotheses",
  lines: ({ progress }, { columns, whole }) => hypothesisLines(progress.state, columns, whole),
  note: ({ progress }) => ideaNote(progress.state),
  plain: ({ progress }) => ideaSentences(progress.state),
};

/** The hypotheses, the most likely first, with what became of each; `whole` with its reasons and evidence. */
function hypothesisLines(state: LoopState, columns: number, whole: boolean): Line[] {
  const ideas = ideasOf(state);
  if (ideas.length === 0) return [line("No hypothesis: nothing was debugged.", "quiet")];
  return ideas.flatMap((idea) => {
    const [glyph, tone] = HYPOTHESIS_LOOKS[idea.status];
    const head: Line = [
      span(`${glyph} ${idea.id} `, tone),
      span(factsOf(idea), "quiet"),
      span(`: ${idea.description}`),
    ];
    return whole ? [...wholeIdea(idea, columns), line("")] : [head];
  });
}

function ideaNote(state: LoopState): string {
  const ideas = ideasOf(state);
  return ideas.length === 0 ? "" : `${openIdeas(state).length} open of ${ideas.length}`;
}

/** The same without glyphs, for a screen reader. */
function ideaSentences(state: LoopState): Line[] {
  return ideasOf(state).flatMap((idea) => [
    line(`Hypothesis ${idea.id}, ${factsOf(idea)}: ${idea.description}`),
    ...detailsOf(idea).map(([name, text]) => line(`${name}: ${text}`)),
  ]);
}

function wholeIdea(idea: Hypothesis, columns: number): Line[] {
  const [glyph, tone] = HYPOTHESIS_LOOKS[idea.status];
  const details = detailsOf(idea).flatMap(([name, text]) =>
    wrapped(`${name}: ${text}`, columns - 2, "quiet"),
  );
  const head = wrapped(`${glyph} ${idea.id} ${factsOf(idea)}: ${idea.description}`, columns, tone);
  return [...head, ...indented(details, 2)];
}
