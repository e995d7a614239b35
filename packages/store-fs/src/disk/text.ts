import { isUtf8 } from "node:buffer";

/** Stands for bytes that are no UTF-8; no parser accepts it. */
export const NOT_TEXT = "\u0000";

export function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString("utf8") : NOT_TEXT;
}
