import type { Agent, ErrorCode } from "@ccw-loop/core";

/** Ways a turn can fail on the agent's side; `agent_died` has its own staging. */
export type StagedFailure = Extract<
  ErrorCode,
  "agent_failed" | "agent_unauthorized" | "usage_limit" | "rate_limited" | "context_overflow"
>;

/** What the agent under test shall do in one turn, in this order; what is left out does not happen. */
export interface StagedTurn {
  /** Writes a whole file, path relative to the project. */
  edit?: { path: string; content: string };
  /** Runs a shell command in the project and waits for it. */
  command?: string;
  /** How the turn ends. `hang`: sends the beginning of a message, then nothing more. `die`: its process ends. */
  end: { answer: string } | { fail: StagedFailure; resetsAt?: Date } | "hang" | "die";
  /** What the turn costs, for agents that report it. */
  tokens?: { input: number; output: number };
}

/**
 * An agent under test and the strings to pull. Made anew for every test, disposed after it. Whatever the
 * means (a script, a scripted model server), only what a model decides may be staged: conversation,
 * processes, abort and resume must be the real ones.
 */
export interface AgentHarness extends AsyncDisposable {
  /** The project: a folder of its own, empty but for what the agent itself needs. */
  readonly cwd: string;
  /** Each call another instance, as in another process; all share the durable conversations. */
  agent(): Agent;
  /** What the next `run` of any session does. Replaces what was staged before, played or not. */
  stage(turn: StagedTurn): Promise<void>;
  /** What the agent had before it in its last turn, older prompts of the conversation included. */
  seen(): Promise<string>;
}

/** What differs between agents that are all right. */
export interface AgentTraits {
  /** The failures that the harness can stage; the tests of the others are left out. */
  failures: readonly StagedFailure[];
  /** Whether usage is reported; where not, it must be null. */
  reportsUsage: boolean;
  /** Whether it names its turns and copies conversations; where not, every fork begins anew. */
  forks: boolean;
  /** Whether a session has `exec`. */
  executes: boolean;
}
