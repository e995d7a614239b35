import type { Processes } from "@ccw-loop/processes";

/**
 * Where the agent's commands may write. `workspace-write` is Codex's own sandbox: the project, temporary
 * folders, no network. `danger-full-access` says that nothing confines them.
 */
export type CodexSandbox = "workspace-write" | "danger-full-access";

/** How long the agent waits, and how often it tries again. Milliseconds and counts. */
export interface CodexLimits {
  /** Quiet time of a turn, with no tool at work, that counts as hung. */
  silenceMs: number;
  /** Quiet time of a turn while a command or another tool is at work. */
  commandMs: number;
  /** Codex reconnects to its model without any progress. */
  networkMs: number;
  /** An interrupted turn must have ended by then, or Codex is killed. */
  interruptMs: number;
  /** Codex may take so long to leave by itself, and again after SIGTERM. */
  closeMs: number;
  /** Codex must answer a request of ours by then. */
  requestMs: number;
  /** A conversation that another process still holds is asked for again so long. */
  busyMs: number;
  /** First pause before a retry; doubles each time up to `backoffMaxMs`, with jitter. */
  backoffMs: number;
  backoffMaxMs: number;
  /** Retries after server and network failures, and after HTTP 429. */
  retries: number;
  rateLimitRetries: number;
}

export const DEFAULT_CODEX_LIMITS: CodexLimits = {
  silenceMs: 10 * 60_000,
  commandMs: 20 * 60_000,
  networkMs: 2 * 60_000,
  interruptMs: 5_000,
  closeMs: 3_000,
  requestMs: 30_000,
  busyMs: 5_000,
  backoffMs: 2_000,
  backoffMaxMs: 60_000,
  retries: 3,
  rateLimitRetries: 5,
};

export interface CodexOptions {
  /** The codex program. Otherwise: CODEX_BIN, PATH, an installed `@openai/codex`. */
  binary?: string;
  /** `workspace-write` unless given; the other must be chosen with open eyes. */
  sandbox?: CodexSandbox;
  /**
   * Folders below the project's that the agent may read and not write, `.workflow` unless given; made where
   * they are missing. Only the sandbox `workspace-write` enforces it.
   */
  protect?: readonly string[];
  /** Absolute folders that the agent may not even read: where keys and tokens lie. As `protect`, and only beside one of its folders. */
  hide?: readonly string[];
  /** The environment to choose from; `process.env` unless given. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Names of further variables that Codex and its commands may see. */
  passEnv?: readonly string[];
  /** Codex settings for this run only, as `key=value` in TOML (its `-c`). */
  config?: readonly string[];
  limits?: Partial<CodexLimits>;
  /** Where what it starts is registered; nowhere unless given. */
  processes?: Processes;
}

/** Options with the registry of processes that holds. */
export type PlacedOptions = CodexOptions & { processes: Processes };
