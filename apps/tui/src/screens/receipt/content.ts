import { checkProblems, checkRows, checkSentence, proofText, receiptRows } from "@ccw-loop/view";
import { type Line, line, span } from "../../frame/line.ts";
import { namedLines, wrapped } from "../../frame/wrap.ts";
import { type Model, openedState } from "../../model/model.ts";
import type { ReceiptState } from "./state.ts";

/** What the receipt proves, what checking it again said, and every row of it. */
export function receiptContent(screen: ReceiptState, model: Model, columns: number): Line[] {
  const state = openedState(model);
  const receipt = state?.receipts?.at(-1);
  if (!state || !receipt)
    return [line("There is no receipt: the tests have not been run.", "quiet")];
  const proven = proofText(state, receipt);
  return [
    ...wrapped(proven.text, columns, proven.tone),
    ...checkLines(screen, columns),
    line(""),
    ...namedLines(receiptRows(receipt), columns),
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
    ...details.flatMap((detail) => wrapped(detail, columns - 4).map(indented)),
  ]);
  return [
    line(""),
    ...wrapped(sentence, columns, tone),
    ...namedLines(checkRows(check), columns),
    ...problems,
  ];
}

function indented(of: Line): Line {
  return [span("    "), ...of];
}
