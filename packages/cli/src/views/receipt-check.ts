import type { ReceiptCheck } from "@ccw-loop/core";
import type { Paint } from "@ccw-loop/view";
import { checkProblems, checkRows, checkSentence, namedRows, sanitizeLine } from "@ccw-loop/view";

/** Whether a receipt stands, the new runs, and everything that does not fit. `of` names the loop or the file. */
export function checkText(of: string, check: ReceiptCheck, paint: Paint): string {
  const found = checkProblems(check).flatMap(({ text, details }) => [
    `${paint("bad", "✖")} ${sanitizeLine(text)}`,
    ...details.map((detail) => `    ${sanitizeLine(detail)}`),
  ]);
  return [
    paint(...checkSentence(of, check)),
    ...namedRows(checkRows(check), paint),
    ...(found.length > 0 ? ["", ...found] : []),
  ].join("\n");
}
