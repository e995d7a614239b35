import { LoopError, systemAdvice } from "@ccw-loop/core";
import { codeOf } from "./node-errors.ts";

/** A failure of the file system as what the caller may do about it; other errors pass through. */
export function storeError(error: unknown, id: string): unknown {
  const code = codeOf(error);
  if (error instanceof LoopError || !(error instanceof Error) || code === "") return error;
  const path = "path" in error && typeof error.path === "string" ? error.path : null;
  if (code === "ELOOP") return unsafePath(path ?? id, "is a symbolic link");
  const message = `Loop ${id} cannot be stored now. ${systemAdvice(code)}`;
  return new LoopError("store_unavailable", message, { cause: error, details: { code, path } });
}

/** The refusal of a file of a loop that is a link, a folder where a file should be, or a file where a folder should. */
export function misplaced(id: string, path: string): LoopError {
  return new LoopError(
    "unsafe_path",
    `Loop ${id} is damaged: something else stands in the place of ${path}. See what can be saved with: ccw-loop recover ${id}`,
    { details: { path } },
  );
}

/** The refusal of a path that somebody could use to lead us elsewhere. */
export function unsafePath(path: string, why: string): LoopError {
  return new LoopError(
    "unsafe_path",
    `${path} ${why}. Loops are not kept there; make it a plain folder or file of your own.`,
    { details: { path } },
  );
}
