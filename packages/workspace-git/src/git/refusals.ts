import { isLoopError, LoopError, systemAdvice } from "@ccw-loop/core";
import { type RawPath, textOf } from "../raw-path.ts";

/** A path that leads through a link or a file. */
export function unsafePath(top: string, path: RawPath): LoopError {
  return new LoopError(
    "unsafe_path",
    `${textOf(path)} in ${top} is a link or a file where a folder is needed. Remove it and try again.`,
  );
}

/** Why a file could not be written or removed, for people. */
export function unwritable(error: unknown, file: Buffer): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (isLoopError(error) || code === undefined) return error;
  return new LoopError(
    "store_unavailable",
    `${file.toString("utf8")} cannot be written (${code}). ${systemAdvice(code)}`,
    { cause: error },
  );
}
