import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  type LoopEvent,
  type LoopState,
  type Receipt,
  TESTS_KEPT,
  type TestStates,
} from "@ccw-loop/core";

/** The first `TESTS_KEPT` tests, failed ones first. */
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

/**
 * The event to record where the newest receipt is not sealed with this key, so that nothing shows who gave it; else
 * null.
 */
export function refusedReceipt(
  state: LoopState,
  { key, at }: { key: Uint8Array; at: string },
): LoopEvent | null {
  const receipt = state.receipts?.at(-1);
  if (!receipt || sealState(receipt, key) === "fits") return null;
  const reason = `Receipt ${receipt.id} is not sealed with the key of this user, so the tests run again.`;
  return { type: "receipt.refused", at, reason };
}

/** The secret that receipts are sealed with. It lies outside of every project and is never given to agents or tests. */
export type SealKey = () => Promise<Uint8Array>;

/** What a seal says: `other_key` is one of another user or machine. */
export type SealState = "fits" | "none" | "edited" | "other_key";

const SCHEME = "hmac-sha256";
const SEAL = /^hmac-sha256:([0-9a-f]{16}):([0-9a-f]{64})$/;

/** The content with its seal: the key's name, and an HMAC over the content's JSON with sorted keys. */
export function sealed<T extends { seal?: string | undefined }>(content: T, key: Uint8Array): T {
  return { ...content, seal: `${SCHEME}:${nameOf(key)}:${macOf(content, key)}` };
}

export function sealState(content: { seal?: string | undefined }, key: Uint8Array): SealState {
  const [, name, mac = ""] = SEAL.exec(content.seal ?? "") ?? [];
  if (name === undefined) return content.seal === undefined ? "none" : "edited";
  if (name !== nameOf(key)) return "other_key";
  const own = Buffer.from(macOf(content, key), "hex");
  return timingSafeEqual(own, Buffer.from(mac, "hex")) ? "fits" : "edited";
}

/** A key that lasts as long as the process: what it seals, no other process can check. */
export function ephemeralKey(): SealKey {
  const key = randomBytes(32);
  return async () => key;
}

/** SHA-256 of any JSON value, whatever the order of its keys. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

function macOf({ seal: _, ...facts }: { seal?: string | undefined }, key: Uint8Array): string {
  return createHmac("sha256", key).update(canonical(facts)).digest("hex");
}

/** A name for the key that does not reveal it. */
function nameOf(key: Uint8Array): string {
  return createHash("sha256").update("ccw-loop key\0").update(key).digest("hex").slice(0, 16);
}

/** JSON with the keys of every object in order, so that equal content is equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
