import { findingAnswer, findingPlace } from "../proof/reviews.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { Receipt } from "../state/receipt.ts";
import type { Review } from "../state/review.ts";
import { counted } from "../text.ts";

/**
 * Who looked at the work of the newest receipt, round by round, what they found and how it was answered; empty where nobody
 * was asked to.
 */
export function reviewLines(state: Pick<LoopState, "receipts" | "accepted">): string[] {
  const receipt = state.receipts?.at(-1);
  return receipt ? (receipt.reviews ?? []).flatMap((one) => linesOf(one, receipt, state)) : [];
}

function linesOf(
  review: Review,
  { reviews = [], tree_after }: Receipt,
  state: Pick<LoopState, "accepted">,
): string[] {
  const { agent, round, problem, findings, tests } = review;
  if (problem !== undefined) return [`round ${round} by ${agent} was not made: ${problem}`];
  const of = review.tree === tree_after ? "" : ", of earlier files";
  const own = tests.length === 0 ? "" : `, ${counted(tests.length, "test")} of its own`;
  const found = findings.length === 0 ? "no finding" : counted(findings.length, "finding");
  return [
    `round ${round} by ${agent}${of}: ${found}${own}`,
    ...findings.map((one) => {
      const answer = findingAnswer(reviews, state, review, one);
      return `  ${answer}: ${one.problem}${findingPlace(one)}`;
    }),
    ...tests.map(({ path, result, reason }) => {
      const why = result === "not_run" ? ` (${reason})` : "";
      return `  its test ${path}: ${result.replaceAll("_", " ")}${why}`;
    }),
  ];
}
