/** How a caller may react: `never`, `reload` (read again and decide again), `later` (bounded, with backoff). */
export type Retry = "never" | "reload" | "later";

interface ErrorRow {
  /** HTTP status of the control plane. */
  http: number;
  /** Process exit code of the command line (DESIGN §8). */
  exit: number;
  retry: Retry;
}

/** Every error code of the product. The one table from code to HTTP status, exit code and retry. */
export const ERROR_CODES = {
  invalid_input: { http: 400, exit: 2, retry: "never" },
  invalid_id: { http: 400, exit: 2, retry: "never" },
  loop_not_found: { http: 404, exit: 7, retry: "never" },
  task_not_found: { http: 404, exit: 7, retry: "never" },
  issue_not_found: { http: 404, exit: 7, retry: "never" },
  loop_exists: { http: 409, exit: 6, retry: "never" },
  invalid_transition: { http: 409, exit: 6, retry: "never" },
  revision_conflict: { http: 409, exit: 6, retry: "reload" },
  loop_busy: { http: 409, exit: 6, retry: "later" },
  workspace_busy: { http: 409, exit: 6, retry: "later" },
  op_reused: { http: 422, exit: 6, retry: "never" },
  fenced: { http: 409, exit: 6, retry: "never" },
  workspace_changed: { http: 409, exit: 6, retry: "never" },
  input_needed: { http: 409, exit: 4, retry: "never" },
  store_corrupt: { http: 409, exit: 5, retry: "never" },
  store_unavailable: { http: 503, exit: 5, retry: "later" },
  workspace_unavailable: { http: 503, exit: 5, retry: "later" },
  system_unavailable: { http: 503, exit: 5, retry: "later" },
  unsafe_path: { http: 503, exit: 5, retry: "never" },
  verify_unavailable: { http: 503, exit: 5, retry: "never" },
  agent_unavailable: { http: 503, exit: 5, retry: "never" },
  agent_unauthorized: { http: 503, exit: 5, retry: "never" },
  agent_misconfigured: { http: 503, exit: 5, retry: "never" },
  sandbox_unavailable: { http: 503, exit: 5, retry: "never" },
  agent_died: { http: 502, exit: 5, retry: "later" },
  agent_timeout: { http: 504, exit: 5, retry: "later" },
  agent_failed: { http: 502, exit: 5, retry: "later" },
  agent_bad_result: { http: 502, exit: 5, retry: "never" },
  context_overflow: { http: 502, exit: 5, retry: "never" },
  rate_limited: { http: 503, exit: 75, retry: "later" },
  usage_limit: { http: 503, exit: 75, retry: "later" },
  internal: { http: 500, exit: 1, retry: "never" },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * The only error class. `message` is a full sentence that names the thing and the next step;
 * `details` is data for programs (paths, reset times, the revision that was found).
 */
export class LoopError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  /** Also for one that another copy of this package made: a module that an operator names brings its own. */
  static override [Symbol.hasInstance](value: unknown): value is LoopError {
    return value instanceof Error && value.name === "LoopError" && hasCodeAndDetails(value);
  }

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "LoopError";
    this.code = code;
    this.details = options.details ?? {};
  }
}

function hasCodeAndDetails(error: object): boolean {
  const { code, details } = error as { code?: unknown; details?: unknown };
  return (
    typeof code === "string" &&
    Object.hasOwn(ERROR_CODES, code) &&
    typeof details === "object" &&
    details !== null
  );
}

/** The refusal of a write or an act that is bound to revision `named` of a loop; `details.revision` is the newest. */
export function revisionConflict(id: string, named: number, newest: number): LoopError {
  return new LoopError(
    "revision_conflict",
    `Loop ${id} is at revision ${newest}, not ${named}. Read it again and decide again.`,
    { details: { revision: newest } },
  );
}

/** True for a LoopError, of one of `codes` when any are given. */
export function isLoopError(error: unknown, ...codes: ErrorCode[]): error is LoopError {
  return error instanceof LoopError && (codes.length === 0 || codes.includes(error.code));
}

/** What a schema refused, as `invalid_input` with its first sentence; the field is named in any case. */
export function invalidInput(error: {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}): LoopError {
  const [issue] = error.issues;
  const path = issue?.path.join(".") ?? "";
  const message = issue?.message ?? "The input is wrong";
  const named = path === "" || message.startsWith(path) ? message : `${path}: ${message}`;
  return new LoopError("invalid_input", `${named}.`, { cause: error });
}

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
  ENOENT: "It is not there. Put it back, then try again.",
  ENOTDIR: "A part of the path is no folder. Put that right, then try again.",
  EISDIR: "It is a folder, and a file is needed. Put that right, then try again.",
};

/** What the system lacks for a moment, whatever was to be done. */
const SHORTAGES = ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "EIO"];

/** These say that the program asked for something senseless: a defect of ours. */
const DEFECTS = ["EBADF", "EFAULT", "EINVAL"];

const DOING: Readonly<Record<string, string>> = {
  open: "Opening",
  read: "Reading",
  scandir: "Reading",
  stat: "Looking at",
  lstat: "Looking at",
  access: "Looking at",
  write: "Writing",
  copyfile: "Copying",
  fsync: "Writing",
  mkdir: "Making",
  mkdtemp: "Making",
  rename: "Renaming",
  link: "Linking",
  symlink: "Linking",
  unlink: "Removing",
  rmdir: "Removing",
  rm: "Removing",
  chmod: "Changing the rights of",
  utime: "Changing the time of",
};

/** Two sentences for a system's error code: what is the matter, and the next step. */
export function systemAdvice(code: string): string {
  return ADVICE[code] ?? `The system answered ${code}. Check what is wrong there, then try again.`;
}

/**
 * A system call that failed (a file, a folder, a process) as `system_unavailable`, with what was to be done and the next
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
  return new LoopError("system_unavailable", sentence(syscall, code, path), {
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
  const text = error instanceof Error ? error.message : String(error);
  return new LoopError("internal", `Unexpected error: ${text}`, { cause: error });
}

function sentence(syscall: string, code: string, path: unknown): string {
  if (syscall === "uv_cwd") {
    return "The folder that this was called in is gone. Change to another one, then try again.";
  }
  const [call = "", program] = syscall.split(" ");
  const doing = call.startsWith("spawn") ? "Starting" : DOING[call];
  const unnamed = doing === "Starting" ? "a program" : undefined;
  const what = typeof path === "string" ? path : (program ?? unnamed);
  const on = what === undefined ? "" : doing === undefined ? ` on ${what}` : ` ${what}`;
  return `${doing ?? `A call of ${call}`}${on} failed (${code}). ${systemAdvice(code)}`;
}
