import type { LoopService, LoopState } from "@ccw-loop/core";
import { Refusal } from "./answers.ts";

/** Names one state of a loop; stores that keep no digest have its revision. */
export function etagOf({ etag, revision }: LoopState): string {
  return `"${etag ?? `revision-${revision}`}"`;
}

/** Whether a header of If-Match or If-None-Match names the tag. */
export function names(header: string, etag: string): boolean {
  if (header.trim() === "*") return true;
  const named: readonly string[] = header.match(/"[^"]*"/g) ?? [];
  return named.includes(etag);
}

/** No commit has it, so whoever names it is refused, unless the request is a repetition. */
const NEVER = 0;

/**
 * The revision that a request is bound to by its If-Match, for `send`; undefined without the header. `NEVER` when the
 * loop is in another state.
 */
export async function boundRevision(
  service: LoopService,
  request: Request,
  id: string,
): Promise<number | undefined> {
  const header = request.headers.get("if-match");
  if (header === null) return undefined;
  const state = await service.get(id);
  return names(header, etagOf(state)) ? state.revision : NEVER;
}

/** For what the service cannot bind to a revision: looks right before it. Throws 412. */
export async function requireMatch(
  service: LoopService,
  request: Request,
  id: string,
): Promise<void> {
  if ((await boundRevision(service, request, id)) === NEVER) throw changedMeanwhile();
}

export function changedMeanwhile(): Refusal {
  return new Refusal(
    412,
    "revision_conflict",
    "The loop is in another state than If-Match names. Read it again and decide again.",
  );
}
