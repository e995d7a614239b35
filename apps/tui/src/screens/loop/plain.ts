import { statusText } from "@ccw-loop/core";
import { limitLines, receiptLines } from "@ccw-loop/view";
import { type Line, line } from "../../frame/line.ts";
import type { Model } from "../../model/model.ts";
import { loadedLoop } from "./content.ts";
import { drivenText, homeLines, openingText, statusLine } from "./header.ts";
import { readOut } from "./panes/agent.ts";
import { ideaSentences } from "./panes/ideas.ts";
import { stepSentences } from "./panes/steps.ts";
import { taskSentences } from "./panes/tasks.ts";
import { testRows } from "./panes/tests.ts";
import { railText } from "./rail.ts";
import type { LoopScreenState } from "./state.ts";

/** All of it in reading order: how it stands, what it waits for, what was done, and the agent last. */
export function plainLoop(screen: LoopScreenState, model: Model): Line[] {
  const shown = loadedLoop(model);
  if (!shown) return [line(openingText(model))];
  const { progress, log } = shown;
  const { state } = progress;
  const said = statusLine(screen, state, model);
  const receipt = state.receipts?.at(-1);
  const part = (title: string, lines: readonly Line[]): Line[] =>
    lines.length === 0 ? [] : [line(title, "strong"), ...lines];
  const words = (texts: readonly string[]) => texts.map((text) => line(text));
  return [
    line(state.title, "strong"),
    line([statusText(state), drivenText(screen, model, state)].filter(Boolean).join(", ")),
    line(railText(progress, model.now)),
    line(said.text, said.tone),
    ...homeLines(state),
    ...part("Limits", words(limitLines(state))),
    ...part("Tasks", taskSentences(state)),
    ...part("Hypotheses", ideaSentences(state)),
    ...part("Tests", [
      ...words(receipt ? receiptLines(receipt) : []),
      ...testRows(state).flatMap(([name, values]) => words([`${name}: ${values.join(", ")}`])),
    ]),
    ...part("History", stepSentences(progress, model.now)),
    ...part("Agent", readOut(log.lines)),
  ];
}
