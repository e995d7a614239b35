import { z } from "zod";
import type { LoopError } from "../errors.ts";
import type { Known } from "../json.ts";
import { TURN_USAGE } from "../state/skill-state.ts";

/** The agent's own figures about its quota; `resets_at` is RFC 3339. */
export const RateLimits = z.looseObject({
  used_percent: z.number().nullable(),
  resets_at: z.string().nullable(),
});
export type RateLimits = Known<z.infer<typeof RateLimits>>;

export const TokenUsage = z.looseObject({
  ...TURN_USAGE,
  /** In US dollars; absent where the agent does not report money. */
  cost_usd: TURN_USAGE.cost_usd.unwrap().exactOptional(),
});
export type TokenUsage = Known<z.infer<typeof TokenUsage>>;

const text = z.string();
const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), ...shape });

/** What an agent does while a turn runs. Text is as the agent sent it: strip it before a screen shows it. */
export const TurnEvent = z.discriminatedUnion("type", [
  event("session.started", { session_id: text }),
  event("session.resumed", { session_id: text }),
  event("message.delta", { text }),
  event("message.completed", { text }),
  event("command.started", { command: text }),
  event("command.output", { text }),
  event("command.completed", { command: text, exit_code: z.int().nullable() }),
  event("files.changed", { paths: z.array(text) }),
  event("approval.answered", { request: text, decision: text }),
  event("context.compacted", {}),
  event("turn.retried", { reason: text, attempt: z.int() }),
  event("limits.updated", { limits: RateLimits }),
  /** What this turn has used up to now; the last one counts if the turn is cut off. */
  event("usage.updated", { usage: TokenUsage }),
  event("warning.raised", { message: text }),
]);
export type TurnEvent = Known<z.infer<typeof TurnEvent>>;

export interface TurnOptions {
  /** JSON Schema (strict) for the final message; a hint, the caller validates. */
  outputSchema?: Record<string, unknown>;
  signal: AbortSignal;
  onEvent?: (event: TurnEvent) => void;
}

export interface TurnResult {
  /** The final message, whole. */
  text: string;
  /** Of this turn alone; null when the agent does not report it. */
  usage: TokenUsage | null;
  /** The agent's name for this turn, behind which a fork can begin; null where it has none. */
  turn_id?: string | null;
}

export interface OpenOptions {
  cwd: string;
  /** Continue this conversation; a session that no longer exists is begun anew (`session.started` tells the new id). */
  sessionId?: string | null;
  /**
   * Instead of `sessionId`: a conversation of its own that begins as a copy of this one, up to and with that turn
   * (null: all of it). An agent that cannot copy begins anew and says so by a `warning.raised` with the
   * id of that conversation in it.
   */
  forkOf?: { session_id: string; turn_id: string | null } | undefined;
  /** Standing instructions of the conversation. */
  instructions: string;
  model?: string | undefined;
  /**
   * It is to look and to change no file. An agent keeps to that as well as its sandbox and its policy can; what is changed all
   * the same is put back by whoever asks.
   */
  readOnly?: boolean;
  /** For whom the agent's processes work. */
  scope?: ProcessScope | undefined;
  /** Opening ends with its reason, and leaves no process, when it aborts. */
  signal?: AbortSignal | undefined;
  /** Hears what happens while no turn runs; a turn's own events go to `TurnOptions.onEvent` alone. */
  onEvent?: (event: TurnEvent) => void;
}

export interface ExecOptions {
  signal: AbortSignal;
  timeoutMs: number;
}

export interface ExecResult {
  /** Null when it was ended at its time limit, or by a signal. */
  exit_code: number | null;
  /** Its last lines, stdout and stderr together, bounded. */
  output: string;
  timed_out: boolean;
}

export interface Agent {
  /** `codex`, `scripted`, … as it is kept in the state file. */
  readonly driver: string;
  /** Whether it can work here; names what is missing. Starts nothing that stays. */
  check(cwd: string): Promise<AgentCheck>;
  /** Throws `agent_unavailable`, `agent_unauthorized`, `agent_misconfigured`, `sandbox_unavailable`. */
  open(options: OpenOptions): Promise<AgentSession>;
}

/** What a module that an operator names (`--agent ./my-agent.js`) exports by default. */
export interface AgentFactory<Processes = unknown> {
  /** What it is, in a few words, for lists of agents. */
  describe: string;
  /**
   * Makes the agent; called whenever one is needed, so it starts nothing. Throws `agent_misconfigured` for options that
   * it cannot use; what is no `LoopError` counts as that, too.
   */
  open(place: AgentPlace<Processes>): Agent | Promise<Agent>;
}

/** Where an agent works. `Processes` is the type of that name in `@ccw-loop/processes`. */
export interface AgentPlace<Processes = unknown> {
  /** As the operator's configuration has them, unchecked; undefined where it has none. */
  options: unknown;
  /** The project root. A session may work in another folder: `OpenOptions.cwd`. */
  root: string;
  /** Folders that no command of the agent may read: keys and tokens lie there. */
  hidden: readonly string[];
  /** Starts processes so that they end with the turn, the loop and this process. */
  processes: Processes;
}

export interface AgentCheck {
  ok: boolean;
  version: string | null;
  /** What keeps it from working, as `open` throws it: with a command that helps where there is one. */
  problems: LoopError[];
  notes: string[];
  /** False where only a turn would show whether it is logged in. */
  login_tried?: boolean;
}

/**
 * One conversation. Contract, executable as `describeAgent` in `@ccw-loop/testkit`:
 * - `run` is one turn; a second `run` while one is under way is refused with `invalid_input`.
 * - Aborting `signal` ends the turn and every process it started before `run` rejects with `signal.reason`.
 * - A turn that fails throws a LoopError: `agent_died`, `agent_timeout`, `agent_failed`, `usage_limit`
 *   (details.resets_at), `rate_limited`, `context_overflow`, `agent_unauthorized`, `agent_misconfigured`.
 *   The session stays usable: the next `run` works again when the cause is gone.
 */
export interface AgentSession {
  /** Known after `session.started`; give it to `open` to continue after a crash. */
  readonly id: string | null;
  run(prompt: string, options: TurnOptions): Promise<TurnResult>;
  /** Adds a message to the running turn. Throws `invalid_input` when none runs. */
  steer(text: string): Promise<void>;
  /**
   * Runs a shell command in `cwd` under the same sandbox as the agent's own commands, outside of any turn; absent
   * where the agent has no sandbox of its own. A session does one thing at a time: it is refused with
   * `invalid_input` during a turn or another `exec`, as `run` is during it. No process of it outlives the answer.
   * Ends like `run` on abort. Throws `sandbox_unavailable`, `agent_died`. Has no events of its own.
   */
  exec?(command: string, options: ExecOptions): Promise<ExecResult>;
  /** Ends the conversation's processes; idempotent. */
  close(): Promise<void>;
}

/**
 * For which loop, under which lease, a group of processes was started. It is kept beside them: whoever holds a later
 * lease of that loop may end them, also while the process that started them is suspended.
 */
export interface ProcessScope {
  loop: string;
  epoch: number;
}
