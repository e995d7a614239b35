interface ErrorRow {
  /** HTTP status of the control plane. */
  http: number;
  /** Process exit code of the command line. */
  exit: number;
}

/** Every error code of the product. The one table from code to HTTP status and exit code. */
export const ERROR_CODES = {
  invalid_input: { http: 400, exit: 2 },
  invalid_id: { http: 400, exit: 2 },
  loop_not_found: { http: 404, exit: 7 },
  task_not_found: { http: 404, exit: 7 },
  issue_not_found: { http: 404, exit: 7 },
  loop_exists: { http: 409, exit: 6 },
  invalid_transition: { http: 409, exit: 6 },
  revision_conflict: { http: 409, exit: 6 },
  loop_busy: { http: 409, exit: 6 },
  workspace_busy: { http: 409, exit: 6 },
  op_reused: { http: 422, exit: 6 },
  bash_not_allowed: { http: 403, exit: 6 },
  command_declined: { http: 403, exit: 6 },
  fenced: { http: 409, exit: 6 },
  workspace_changed: { http: 409, exit: 6 },
  store_corrupt: { http: 409, exit: 5 },
  store_unavailable: { http: 503, exit: 5 },
  workspace_unavailable: { http: 503, exit: 5 },
  system_unavailable: { http: 503, exit: 5 },
  repository_unavailable: { http: 503, exit: 5 },
  repository_refused: { http: 409, exit: 5 },
  unsafe_path: { http: 503, exit: 5 },
  verify_unavailable: { http: 503, exit: 5 },
  agent_unavailable: { http: 503, exit: 5 },
  agent_unauthorized: { http: 503, exit: 5 },
  agent_misconfigured: { http: 503, exit: 5 },
  sandbox_unavailable: { http: 503, exit: 5 },
  agent_died: { http: 502, exit: 5 },
  agent_timeout: { http: 504, exit: 5 },
  agent_failed: { http: 502, exit: 5 },
  agent_bad_result: { http: 502, exit: 5 },
  context_overflow: { http: 502, exit: 5 },
  rate_limited: { http: 503, exit: 75 },
  usage_limit: { http: 503, exit: 75 },
  internal: { http: 500, exit: 1 },
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
    if (!(value instanceof Error) || value.name !== "LoopError") return false;
    const { code, details } = value as Partial<LoopError>;
    const isKnown = typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
    return isKnown && typeof details === "object" && details !== null;
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

/** The refusal of a write or an act that is bound to revision `named` of a loop; `details.revision` is the newest. */
export function revisionConflict(id: string, named: number, newest: number): LoopError {
  return new LoopError(
    "revision_conflict",
    `Loop ${id} is at revision ${newest}, not ${named}. Read it again and decide again.`,
    { details: { revision: newest } },
  );
}

/** The refusal of a write under a lease that was lost, or given back. */
export function leaseLost(id: string, epoch: number): LoopError {
  return new LoopError(
    "fenced",
    `The lease with epoch ${epoch} on loop ${id} was lost: somebody else drives it now.`,
    { details: { epoch } },
  );
}

/** True for a LoopError, of one of `codes` when any are given. */
export function isLoopError(error: unknown, ...codes: ErrorCode[]): error is LoopError {
  return error instanceof LoopError && (codes.length === 0 || codes.includes(error.code));
}

/** The result of `work`, or `instead` where it fails with a LoopError of one of `codes`. */
export async function orOn<T, U>(work: Promise<T>, codes: ErrorCode[], instead: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (isLoopError(error, ...codes)) return instead;
    throw error;
  }
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
