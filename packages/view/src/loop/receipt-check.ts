import type { ReceiptCheck } from "@ccw-loop/core";
import type { Tone } from "../text/paint.ts";
import type { NamedRow } from "../text/rows.ts";
import { firstLines } from "./proof.ts";
import { squareRows } from "./square.ts";

/** Whether a receipt stands, in one sentence. `of` names the loop or the file. */
export function checkSentence(of: string, { result, problems }: ReceiptCheck): [Tone, string] {
  const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  if (result === "stands") return ["good", `The receipt of ${of} stands.`];
  if (result === "falls") return ["bad", `The receipt of ${of} does not stand: ${count}.`];
  return ["warning", `Whether the receipt of ${of} stands cannot be told here.`];
}

/** The receipt that was checked, and the new runs. */
export function checkRows({ receipt, square }: ReceiptCheck): NamedRow[] {
  return [
    ["Receipt", [`${receipt.id}, ${receipt.started_at}`]],
    ["Files", [`tree ${receipt.tree_after?.slice(0, 12) ?? "not named"}`]],
    ["Command", square === null ? ["not run"] : [square.cells.present.command]],
    ...squareRows(square ?? undefined),
  ];
}

/** Everything that does not fit, each with the first of its details. */
export function checkProblems({ problems }: ReceiptCheck): { text: string; details: string[] }[] {
  return problems.map(({ message, details }) => ({ text: message, details: firstLines(details) }));
}
