import type { ReceiptCheck } from "@ccw-loop/core";
import type { Paint } from "@ccw-loop/view";
import { checkProblems, checkRows, checkSentence, inertLine, namedRows } from "@ccw-loop/view";

/** What was checked, what the same tests say now beside what is recorded, and everything that does not fit. */
export function checkText(id: string, check: ReceiptCheck, paint: Paint): string {
  const found = checkProblems(check).flatMap(({ text, details }) => [
    `${paint("bad", "✖")} ${inertLine(text)}`,
    ...details.map((detail) => `    ${inertLine(detail)}`),
  ]);
  return [
    paint(...checkSentence(id, check)),
    ...namedRows(checkRows(check), paint),
    ...(found.length > 0 ? ["", ...found] : []),
  ].join("\n");
}
