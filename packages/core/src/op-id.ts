import { LoopError } from "./errors.ts";

/** The part of an op id that names its request; behind a `#` it may say what was asked, as a digest. */
export function opName(opId: string): string {
  return opId.split("#", 1)[0] ?? opId;
}

/** Throws `op_reused` when two op ids of one name say that something else was asked. */
export function requireSameOp(kept: string, opId: string): void {
  if (kept === opId || !kept.includes("#") || !opId.includes("#")) return;
  throw new LoopError(
    "op_reused",
    "A request of this name asked for something else before. Use a new name (over HTTP, Idempotency-Key) for a new request.",
  );
}
