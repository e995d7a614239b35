import {
  type Agent,
  type AgentSession,
  type Clock,
  LoopError,
  type OpenOptions,
  type TokenUsage,
  type TurnOptions,
} from "@ccw-loop/core";

/** How one turn goes, `after` milliseconds from its beginning. */
export interface TurnPlan {
  after: number;
  ending:
    | { kind: "answer"; text: string }
    | { kind: "die" }
    /** It ends only when it is aborted. */
    | { kind: "hang" }
    | { kind: "fail" }
    | { kind: "usage_limit"; resets_at?: string }
    | { kind: "rate_limited" };
  usage: TokenUsage | null;
  /** So many pieces of a message come before it ends. */
  flood: number;
  /** How long it takes to end after an abort. */
  lag: number;
}

/** A turn's own process, as the host of the agent sees it. */
export interface RunningTurn {
  /** Half of its time is over: what it does to files, it does now. */
  work(): void;
  /** It is over, whatever the reason. */
  end(): void;
  /** Aborts when somebody ended the process from outside. */
  killed: AbortSignal;
}

export interface PlannedAgentOptions {
  driver?: string;
  /** The time of the agent's own processes. */
  clock: Clock;
  /** Null to open; else why it does not. */
  opening: (options: OpenOptions) => { after: number; refused: LoopError | null };
  turn: (prompt: string, options: OpenOptions) => TurnPlan;
  begin: (prompt: string, options: OpenOptions) => RunningTurn;
  /** Waits until the caller's process hears what the agent's did. */
  reachCaller: () => Promise<void>;
}

/** An agent whose every turn goes as a plan says: it works, dies, hangs, floods, or ends late after an abort. */
export function plannedAgent(options: PlannedAgentOptions): Agent {
  const { driver = "planned", clock } = options;
  let sessions = 0;
  return {
    driver,
    check: async () => ({ ok: true, version: "1", problems: [], notes: [] }),
    async open(open): Promise<AgentSession> {
      const { after, refused } = options.opening(open);
      await clock.sleep(after, open.signal);
      await options.reachCaller();
      open.signal?.throwIfAborted();
      if (refused) throw refused;
      sessions += 1;
      const id = open.sessionId ?? `${driver}-${sessions}`;
      let running = false;
      return {
        id,
        async run(prompt, turn) {
          if (running) throw new LoopError("invalid_input", "A turn of this session runs already.");
          turn.signal.throwIfAborted();
          running = true;
          try {
            turn.onEvent?.({
              type: open.sessionId ? "session.resumed" : "session.started",
              session_id: id,
            });
            return await runTurn(options, open, prompt, turn);
          } finally {
            running = false;
          }
        },
        async steer() {
          if (!running) throw new LoopError("invalid_input", "No turn runs.");
        },
        async close() {},
      };
    },
  };
}

async function runTurn(
  { clock, turn, begin, reachCaller }: PlannedAgentOptions,
  open: OpenOptions,
  prompt: string,
  { signal, onEvent }: TurnOptions,
) {
  const plan = turn(prompt, open);
  const child = begin(prompt, open);
  const ended = AbortSignal.any([signal, child.killed]);
  const { ending } = plan;
  await clock.sleep(plan.after / 2, ended);
  if (!ended.aborted) child.work();
  await clock.sleep(ending.kind === "hang" ? 2 ** 31 : plan.after / 2, ended);
  if (signal.aborted && !child.killed.aborted) await clock.sleep(plan.lag, child.killed);
  child.end();
  await reachCaller();
  for (let n = 0; n < plan.flood; n++) onEvent?.({ type: "message.delta", text: "…" });
  signal.throwIfAborted();
  if (child.killed.aborted || ending.kind === "die" || ending.kind === "hang") {
    throw new LoopError("agent_died", "The agent's process ended in the middle of a turn.");
  }
  if (ending.kind === "fail") throw new LoopError("agent_failed", "The agent's turn failed.");
  if (ending.kind === "rate_limited") {
    throw new LoopError("rate_limited", "The agent's rate limit is reached.");
  }
  if (ending.kind === "usage_limit") {
    const details = ending.resets_at === undefined ? {} : { resets_at: ending.resets_at };
    throw new LoopError("usage_limit", "The agent's usage limit is reached.", { details });
  }
  return { text: ending.text, usage: plan.usage };
}
