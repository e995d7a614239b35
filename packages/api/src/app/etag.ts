import type { LoopState } from "@ccw-loop/core";
import { HttpError } from "./answers.ts";

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
 * The revision that a request is bound to by its If-Match; undefined without the header, `NEVER` when the loop is in
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
    "revision_conflict",
    "The loop is in another state than If-Match names. Read it again and decide again.",
  );
}
