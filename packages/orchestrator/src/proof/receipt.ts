import {
  type LoopEvent,
  type LoopState,
  type Receipt,
  TESTS_KEPT,
  type TestStates,
} from "@ccw-loop/core";
import { digestOf, sealState } from "./seal.ts";

/** SHA-256 over every test and how it ended. */
export function testsDigest(tests: TestStates): string {
  return digestOf(tests);
}

/** As many tests as a state file keeps: failed ones first. */
export function keptStates(tests: TestStates): TestStates {
  const entries = Object.entries(tests);
  if (entries.length <= TESTS_KEPT) return tests;
  const failed = entries.filter(([, state]) => state === "failed");
  const others = entries.filter(([, state]) => state !== "failed");
  return Object.fromEntries([...failed, ...others].slice(0, TESTS_KEPT));
}

export function receiptId(state: LoopState): string {
  return `receipt-${String(state.current_iteration + 1).padStart(3, "0")}`;
}

/** What the receipt was judged by, so that it can be judged by the same again. */
export function receiptTerms({
  settings,
  baseline,
}: LoopState): Pick<Receipt, "terms" | "baseline_digest"> {
  const { known_red, targets, allow_test_changes, expect } = settings ?? {};
  const said = Object.entries({ known_red, targets, allow_test_changes, expect });
  return {
    terms: Object.fromEntries(said.filter(([, value]) => value !== undefined)),
    baseline_digest: baseline ? digestOf(baseline) : null,
  };
}

/** What is to be recorded where the newest receipt carries no seal of this key: nothing shows who gave it. Null where it does. */
export function refusedReceipt(
  state: LoopState,
  { key, at }: { key: Uint8Array; at: string },
): LoopEvent | null {
  const receipt = state.receipts?.at(-1);
  if (!receipt || sealState(receipt, key) === "fits") return null;
  const reason = `Receipt ${receipt.id} is not sealed with the key of this user, so the tests run again.`;
  return { type: "receipt.refused", at, reason };
}
