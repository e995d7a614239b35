import type { Baseline, LoopEvent, LoopStore, Receipt, ReceiptProblem } from "@ccw-loop/core";
import { digestOf, type SealState, sealState } from "../../proof/seal.ts";
import { collect } from "../rewind.ts";

const SEALS: Readonly<Record<Exclude<SealState, "fits">, string>> = {
  none: "The receipt has no seal, so nothing shows that this program gave it. Run the loop's tests again for one that has: ccw-loop resume ID --reopen",
  edited: "The receipt was edited: its seal does not fit.",
  other_key:
    "The receipt is sealed with another key: that of another user or machine. Bring that key, and name it with --key FILE.",
};

/** What the seal of a receipt, or of a file with one, says against it. */
export function sealProblems(
  sealed: { seal?: string | undefined },
  key: Uint8Array,
): ReceiptProblem[] {
  const state = sealState(sealed, key);
  return state === "fits" ? [] : [problem(SEALS[state])];
}

/** A receipt against its seal, the baseline of its loop, and what the journal recorded when it was given. */
export async function receiptProblems(
  store: LoopStore,
  id: string,
  about: { receipt: Receipt; baseline: Baseline | undefined; key: Uint8Array },
): Promise<ReceiptProblem[]> {
  const { receipt, baseline, key } = about;
  const events = (await collect(store.events(id))).map(({ event }) => event);
  const since = events.findLastIndex((event) =>
    receiptsIn(event).some(({ id }) => id === receipt.id),
  );
  const given = receiptsIn(events[since]).findLast((one) => one.id === receipt.id);
  // The newest one of a state that went back has lost its tests; the journal has them.
  const isShort = receipt.tests === undefined && given?.seal === receipt.seal;
  const found = sealProblems(isShort && given ? given : receipt, key);
  if (found.length === 0 && (baseline ? digestOf(baseline) : null) !== receipt.baseline_digest) {
    found.push(problem("The baseline is not the one that the receipt was judged beside."));
  }
  const tried = events.slice(since + 1).flatMap(editsOfReceipts);
  if (tried.length > 0) {
    const message =
      "The receipts in the state file were edited by another program; the recorded ones were put back.";
    found.push(problem(message, tried));
  }
  if (!given) {
    found.push(
      problem("The journal does not know this receipt: no VALIDATE of this loop gave it."),
    );
  } else if (given.seal !== receipt.seal) {
    found.push(problem("The receipt is not the one that the journal recorded."));
  }
  return found;
}

function problem(message: string, details: string[] = []): ReceiptProblem {
  return { kind: "receipt", message, details };
}

/** Those that a VALIDATE gave; a fork begins with the ones of the loop it comes from. */
function receiptsIn(event: LoopEvent | undefined): readonly Receipt[] {
  if (event === undefined) return [];
  if (event.type === "loop.created") return event.loop.receipts ?? [];
  if (event.type !== "action.completed" || event.output.action !== "VALIDATE") return [];
  return [event.output.receipt];
}

/** The fields of receipts that a foreign write had otherwise; they were kept aside. */
function editsOfReceipts(event: LoopEvent): readonly string[] {
  if (event.type !== "external.edited") return [];
  return (event.kept_aside ?? []).filter((path) => /^receipts\b/.test(path));
}
