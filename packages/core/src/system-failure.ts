import { isLoopError, LoopError } from "./errors.ts";

/** What is the matter, and what to do about it, by the code of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Free some space, then try again.",
  EDQUOT: "The disk quota is used up. Free some space, then try again.",
  EROFS: "The file system is read-only. Mount it writable, then try again.",
  EACCES: "Access was refused. Give this user access to it, then try again.",
  EPERM: "The operation is not permitted. Give this user access to it, then try again.",
  EMFILE: "Too many files are open. Raise the limit of open files (ulimit -n), then try again.",
  ENFILE: "Too many files are open on this machine. Close some, then try again.",
  EAGAIN: "Too many processes run. End some, or raise the limit (ulimit -u), then try again.",
  ENOMEM: "There is not enough memory. Free some, then try again.",
  EIO: "The disk reported an error. Check it before you try again.",
  ENOENT: "File or folder not found. Restore it, then try again.",
  ENOTDIR: "A part of the path is no folder. Put that right, then try again.",
  EISDIR: "It is a folder, and a file is needed. Put that right, then try again.",
};

/** What the system lacks for a moment, whatever was to be done. */
const SHORTAGES = ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "EIO"];

/** These say that the program asked for something senseless: a defect of ours. */
const DEFECTS = ["EBADF", "EFAULT", "EINVAL"];

const CWD_GONE =
  "The folder that this was called in is gone. Change to another one, then try again.";

/** Two sentences for a system's error code: what is the matter, and the next step. */
export function systemAdvice(code: string): string {
  return ADVICE[code] ?? `The system answered ${code}. Check what is wrong there, then try again.`;
}

/**
 * A system call that failed (a file, a folder, a process) as `system_unavailable`, with what the system said and the next
 * step; undefined for any other error, and for a call that makes no sense.
 */
export function systemFailure(error: unknown): LoopError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path } = error as Error & Record<string, unknown>;
  if (typeof syscall !== "string" && /too many open files/i.test(error.message)) {
    // Node's loader gives no code of the system.
    return new LoopError("system_unavailable", `${error.message} ${systemAdvice("EMFILE")}`, {
      cause: error,
      details: { code: "EMFILE", syscall: null, path: null },
    });
  }
  if (typeof code !== "string" || typeof syscall !== "string") return undefined;
  if (!/^E[A-Z0-9]+$/.test(code) || DEFECTS.includes(code)) return undefined;
  const message = syscall === "uv_cwd" ? CWD_GONE : `${error.message}. ${systemAdvice(code)}`;
  return new LoopError("system_unavailable", message, {
    cause: error,
    details: { code, syscall, path: typeof path === "string" ? path : null },
  });
}

/** The same, only where the system lacks something for a moment: also of an error that is `system_unavailable` already. */
export function systemShortage(error: unknown): LoopError | undefined {
  const failure = isLoopError(error, "system_unavailable") ? error : systemFailure(error);
  return failure && SHORTAGES.includes(String(failure.details.code)) ? failure : undefined;
}

/** Any thrown value as a LoopError. What is neither one nor a failure of the system is a defect of ours: `internal`. */
export function toLoopError(error: unknown): LoopError {
  if (error instanceof LoopError) return error;
  const failure = systemFailure(error);
  if (failure) return failure;
  return new LoopError("internal", `Unexpected error: ${errorText(error)}`, { cause: error });
}

/** What any thrown value says of itself. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code of a failed call, such as `ENOENT`; `""` for anything else. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Whether a call failed because what it was to work on is not there. */
export function isMissing(error: unknown): boolean {
  return systemCode(error) === "ENOENT";
}
