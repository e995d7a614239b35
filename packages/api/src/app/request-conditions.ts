import { LoopError, type LoopState } from "@ccw-loop/core";
import { HttpError } from "./http-error.ts";

/** Names one state of a loop; stores that keep no digest have its revision. */
export function etagOf({ etag, revision }: LoopState): string {
  return `"${etag ?? `revision-${revision}`}"`;
}

/** Whether a header of If-Match or If-None-Match names the tag. */
export function etagMatches(header: string, etag: string): boolean {
  if (header.trim() === "*") return true;
  const named: readonly string[] = header.match(/"[^"]*"/g) ?? [];
  return named.includes(etag);
}

/** No commit has it, so whoever names it is refused, unless the request is a repetition. */
export const NO_REVISION = -1;

/**
 * The revision that a request is bound to by its If-Match; undefined without the header, `NO_REVISION` when the loop is in
 * another state. It is the service that compares it, in the commit: what is read here may be old by then.
 */
export async function ifMatchRevision(
  request: Request,
  read: () => Promise<LoopState>,
): Promise<number | undefined> {
  const header = request.headers.get("if-match");
  // Any state will do: whether there is a loop the service says.
  if (header === null || header.trim() === "*") return undefined;
  const state = await read();
  return etagMatches(header, etagOf(state)) ? state.revision : NO_REVISION;
}

export function preconditionFailed(): HttpError {
  return new HttpError(
    412,
    "The loop is in another state than If-Match names. Read it again and decide again.",
  );
}

/**
 * The op id of a request that asks for `what` and names itself by its Idempotency-Key: the store knows it again after a
 * restart. It says what the body was. Undefined without a key. Throws `invalid_input` for a key that is too
 * long or no ASCII.
 */
export async function opIdOf(
  request: Request,
  what: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,200}$/.test(key)) {
    throw new LoopError(
      "invalid_input",
      "The Idempotency-Key has to be 1 to 200 printable ASCII characters.",
    );
  }
  return `http:${await digest(`${what}\n${key}`)}#${await digest(body)}`;
}

export async function digest(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

export function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
