import type { LoopState } from "../state/loop-state.ts";
import type { Objection } from "../state/receipt.ts";

/** What speaks against the last receipt as a proof and nobody has accepted. */
export function openObjections(state: LoopState): Objection[] {
  const accepted = new Set(state.accepted ?? []);
  const receipt = state.receipts?.at(-1);
  return (receipt?.objections ?? []).filter(({ key, allowed }) => !allowed && !accepted.has(key));
}

/** The question to a person, with every objection that fits; `waived` where no tests were run. */
export function questionOf(objections: readonly Objection[], waived = false): string {
  const shown = objections.slice(0, 20).map(({ path, line, message, text }) => {
    const place = path === "" ? "" : ` (${path}${line === null ? "" : `:${line}`})`;
    return `- ${message}${place}${path === "" || text === "" ? "" : `\n    ${text}`}`;
  });
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
