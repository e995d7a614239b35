import { confirmingEvidence, type Hypothesis } from "../state/hypothesis.ts";
import type { LoopState } from "../state/loop-state.ts";
import { Objection } from "../state/receipt.ts";

/** What speaks against the last receipt as a proof, accepted or not: its own objections, and causes that are not settled. */
export function objectionsTo(state: LoopState): Objection[] {
  const receipt = state.receipts?.at(-1);
  return [...(receipt?.objections ?? []), ...unsettledCauses(state)];
}

export function openObjections(state: LoopState): Objection[] {
  const accepted = new Set(state.accepted ?? []);
  return objectionsTo(state).filter(({ key }) => !accepted.has(key));
}

/** Causes that a probe confirmed, that no probe settled, and that stand although the tests pass. */
function unsettledCauses(state: LoopState): Objection[] {
  if (state.receipts?.at(-1)?.passed !== true) return [];
  return (state.skill_state?.debug.hypotheses ?? []).flatMap((idea) => {
    const confirmed = isUnsettled(idea) ? confirmingEvidence(idea) : undefined;
    if (!confirmed) return [];
    const { id, description } = idea;
    const message = `The cause ${id} (${description}) is not settled: the tests pass, but its probe \`${confirmed.data.command}\` did not show that it does not hold any more.`;
    return [Objection.parse({ key: `cause:${id}`, kind: "cause", message })];
  });
}

export function isUnsettled({ status, closed_at }: Hypothesis): boolean {
  return status === "confirmed" && !closed_at;
}

/** ` (test/cart.js)` or ` (src/cart.js:12)`; nothing where an objection is to no file. */
export function placeText({ path, line }: Pick<Objection, "path" | "line">): string {
  if (path === "") return "";
  return line === undefined ? ` (${path})` : ` (${path}:${line})`;
}

/** The question to a person, with every objection that fits; `waived` where no tests were run. */
export function questionOf(objections: readonly Objection[], waived = false): string {
  const shown = objections.slice(0, 20).map((one) => `- ${one.message}${placeText(one)}`);
  const more = objections.length - shown.length;
  return [
    waived
      ? "The tests are waived, but this speaks against the work:"
      : "The tests pass, but this alone does not prove the work:",
    ...shown,
    ...(more > 0 ? [`- … and ${more} more`] : []),
    "Answer accept to let it count as done, or reject to have it put right.",
  ].join("\n");
}

/** The same where nothing is open but a review that was not made. */
export function missingReviewQuestion(objections: readonly Objection[]): string {
  return [
    "The tests prove the work, but the second opinion that was asked for is missing:",
    ...objections.map(({ message }) => `- ${message}`),
    "Answer again to have it reviewed now, or accept to let it count as done without.",
  ].join("\n");
}
