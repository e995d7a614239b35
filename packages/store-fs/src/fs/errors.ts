import { isMissing, LoopError, systemAdvice, systemCode } from "@ccw-loop/core";
import { isNoPlainFile } from "@ccw-loop/processes/plain-file";
import type { FileInfo } from "./disk.ts";

const NAMES = {
  file: "a file",
  folder: "a folder",
  link: "a symbolic link",
  other: "a pipe, a socket or a device",
} as const satisfies Record<FileInfo["kind"], string>;

/** A failure of the file system as what the caller may do about it; other errors pass through. */
export function storeError(error: unknown, id: string): unknown {
  const code = systemCode(error);
  if (error instanceof LoopError || !(error instanceof Error) || code === "") return error;
  const path = "path" in error && typeof error.path === "string" ? error.path : null;
  if (code === "ELOOP") return unsafePath(path ?? id, "is a symbolic link");
  if (isNoPlainFile(error))
    return damaged(id, `${path ?? "one of its files"} cannot be read`, { cause: error });
  const message = `Loop ${id} cannot be stored now. ${systemAdvice(code)}`;
  return new LoopError("store_unavailable", message, { cause: error, details: { code, path } });
}

/** What the work answers, or `missing` when what it works on is not there. */
export function orMissing<T, M>(work: () => T, missing: M): T | M {
  try {
    return work();
  } catch (error) {
    if (isMissing(error)) return missing;
    throw error;
  }
}

export function notFound(id: string, cause?: unknown): LoopError {
  return new LoopError("loop_not_found", `Loop not found: ${id}`, { cause });
}

/** The refusal of a loop that only recovery can read again, or what `hint` says. */
export function damaged(
  id: string,
  what: string,
  { hint = recoverHint(id), cause }: { hint?: string; cause?: unknown } = {},
): LoopError {
  return new LoopError("store_corrupt", `Loop ${id} is damaged: ${what}. ${hint}`, { cause });
}

/** The same for a path that cannot be used as what it should be; a link could lead us elsewhere. */
export function misplaced(id: string, path: string, { kind }: Pick<FileInfo, "kind">): LoopError {
  const code = kind === "link" ? "unsafe_path" : "store_corrupt";
  const what =
    kind === "file" ? `${path} is too large` : `${NAMES[kind]} stands in the place of ${path}`;
  const message = `Loop ${id} is damaged: ${what}. ${recoverHint(id)}`;
  return new LoopError(code, message, { details: { path } });
}

function recoverHint(id: string): string {
  return `See what can be saved with: ccw-loop recover ${id}`;
}

/** The refusal of a path that somebody could use to lead us elsewhere. */
export function unsafePath(path: string, why: string): LoopError {
  return new LoopError(
    "unsafe_path",
    `${path} ${why}. Refusing to store loops there; replace it with a regular file or folder you own.`,
    { details: { path } },
  );
}
