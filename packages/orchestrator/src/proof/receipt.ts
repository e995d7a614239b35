import { createHash } from "node:crypto";
import { type LoopState, type Receipt, TESTS_KEPT, type TestStates } from "@ccw-loop/core";

/** The receipt under its digest: SHA-256 over its own JSON with sorted keys. */
export function sealed(receipt: Receipt): Receipt {
  return { ...receipt, digest: digestOf(receipt) };
}

/** False for a receipt that is not what was sealed; one of an older version has no digest to check. */
export function isSealed(receipt: Receipt): boolean {
  return receipt.digest === undefined || receipt.digest === digestOf(receipt);
}

function digestOf({ digest: _digest, tests: _tests, ...facts }: Receipt): string {
  return sha256(canonical(facts));
}

/** SHA-256 over every test and how it ended. */
export function testsDigest(tests: TestStates): string {
  return sha256(canonical(tests));
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

/** JSON with the keys of every object in order, so that equal content is equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
