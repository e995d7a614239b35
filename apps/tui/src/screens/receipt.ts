import { reviewLines } from "@ccw-loop/core";
import { checkProblems, checkRows, checkSentence, proofText, receiptRows } from "@ccw-loop/view";
import { indented, type Line, line, namedLines, wrapped } from "../components/line.ts";
import { squareLines } from "../components/square.ts";
import { calling } from "../model/effect.ts";
import { type Model, openedState, replaceScreen } from "../model/model.ts";
import type { Binding } from "../model/screen.ts";
import type { ReceiptState } from "../model/screen-states.ts";
import { textScreen } from "./page.tsx";
import { squareBindings } from "./square.ts";

export const receiptScreen = textScreen<ReceiptState>({
  title: ({ id }) => `Receipt of ${id}`,
  heading: () => "Receipt",
  bindings: (screen, model) => [
    ...squareBindings("receipt.square", openedState(model)),
    ...(screen.check === "running" ? [] : [checkBinding(screen)]),
  ],
  answered(screen, answer, model) {
    if (answer.name !== "verify" || answer.call.id !== screen.id) return undefined;
    const said = answer.ok
      ? { check: answer.value, scroll: 0 }
      : { check: { refused: answer.error.message } };
    return { model: replaceScreen(model, { ...screen, ...said }) };
  },
  content: receiptContent,
});

/** Runs the square again in clean rooms; takes as long as its tests do. */
function checkBinding(screen: ReceiptState): Binding {
  return {
    id: "receipt.check",
    label: "check it again",
    run: (model) => ({
      model: replaceScreen(model, { ...screen, check: "running", scroll: 0 }),
      effects: [calling({ name: "verify", id: screen.id })],
    }),
  };
}

/** What the receipt proves, what checking it again said, and every row of it. */
function receiptContent(screen: ReceiptState, model: Model, columns: number): Line[] {
  const state = openedState(model);
  const receipt = state?.receipts?.at(-1);
  if (!state || !receipt)
    return [line("There is no receipt: the tests have not been run.", "quiet")];
  const proven = proofText(state, receipt);
  // The square stands above them.
  const rows = receiptRows(receipt).filter(([name]) => name !== "Square");
  return [
    ...wrapped(proven.text, columns, proven.tone),
    ...(receipt.square ? [line(""), ...squareLines(receipt.square, columns)] : []),
    ...checkLines(screen, columns),
    line(""),
    ...namedLines([...rows, ["Reviews", reviewLines(state)]], columns),
  ];
}

function checkLines({ id, check }: ReceiptState, columns: number): Line[] {
  if (check === null) return [];
  if (check === "running") {
    return [line("Checking it again: its square is run in clean rooms …", "name")];
  }
  if ("refused" in check)
    return wrapped(`It could not be checked: ${check.refused}`, columns, "bad");
  const [tone, sentence] = checkSentence(`loop ${id}`, check);
  const problems = checkProblems(check).flatMap(({ text, details }) => [
    ...wrapped(`✖ ${text}`, columns, "bad"),
    ...details.flatMap((detail) => indented(wrapped(detail, columns - 4), 4)),
  ]);
  return [
    line(""),
    ...wrapped(sentence, columns, tone),
    ...namedLines(checkRows(check), columns),
    ...problems,
  ];
}
