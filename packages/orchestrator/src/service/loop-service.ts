import type {
  ActionName,
  DevelopTask,
  Limits,
  ListQuery,
  LoopCommand,
  LoopPage,
  LoopState,
  RecordedEvent,
  Recovery,
  Selection,
  Settings,
  TurnEvent,
} from "@ccw-loop/core";

/** What a new loop needs. Everything else has a default. */
export interface NewLoop {
  description: string;
  /** Default: the first 100 characters of the description. */
  title?: string;
  /** Default: a minted `loop-v2-…` id. */
  id?: string;
  max_iterations?: number;
  limits?: Limits;
  settings?: Settings;
  tags?: string[];
  priority?: "low" | "medium" | "high";
  notes?: string;
}

/** What `watch` yields: facts from the journal, and what the agent and the tests do meanwhile. */
export type LiveEvent =
  | { kind: "recorded"; id: string; recorded: RecordedEvent }
  | { kind: "activity"; id: string; activity: Activity };

/** One record of agent.log. */
export interface Activity {
  at: string;
  action: ActionName;
  event:
    | TurnEvent
    | { type: "verify.output"; text: string }
    | { type: "prompt.sent"; text: string };
}

/** The menu of interactive mode (seed 001): what stands, and what may be chosen. */
export interface Menu {
  summary: string[];
  options: { key: MenuChoice; label: string; available: boolean; hint: string }[];
  /** Why the last choice was refused. */
  notice?: string;
}
export type MenuChoice = "develop" | "debug" | "validate" | "status" | "complete" | "exit";

export interface RunOptions {
  /** Aborting ends the running turn, records a pause with the abort's reason, and gives the lease back. */
  signal?: AbortSignal;
  /**
   * Answers the menu of interactive mode; without it an interactive loop waits for input. A question that became
   * pointless (the loop was paused or stopped elsewhere, `signal` aborted) is not waited for.
   */
  choose?: (menu: Menu, state: LoopState) => Promise<MenuChoice>;
  /** Wait here for a usage limit to be lifted (default), or return the waiting loop at once. */
  waitForLimits?: boolean;
  /** Everything this run records or sees, in order. Must not throw. */
  onEvent?: (event: LiveEvent) => void;
}

/** Everything an operator can do. CLI, TUI and HTTP are views of this (DESIGN promise 5). */
export interface LoopService {
  create(spec: NewLoop): Promise<LoopState>;
  list(query?: ListQuery): Promise<LoopPage>;
  get(id: string): Promise<LoopState>;
  tasks(id: string): Promise<readonly DevelopTask[]>;
  /** What the loop would do next and why; `driven_by` is the owner of its lease. */
  why(id: string): Promise<Selection & { driven_by: string | null }>;
  /** Retries on `revision_conflict`: the command is decided against the newest state. */
  send(id: string, command: LoopCommand): Promise<LoopState>;
  /** Everything the loop owns. Throws `invalid_transition` while it is running. */
  delete(id: string): Promise<void>;
  events(id: string, after?: number): AsyncIterable<RecordedEvent>;
  activity(id: string, follow?: AbortSignal): AsyncIterable<Activity>;
  /** Live from now on, or from behind revision `after`; ends when `signal` aborts. */
  watch(id: string, options: { after?: number; signal: AbortSignal }): AsyncIterable<LiveEvent>;
  /**
   * Drives a loop until it ends, pauses or waits; starts or resumes it first when its status allows.
   * Throws `loop_busy` when another orchestrator drives it.
   */
  run(id: string, options?: RunOptions): Promise<LoopState>;
  /** A line to the agent in mid-turn. Throws `invalid_input` when this process drives no turn of it. */
  steer(id: string, text: string): Promise<void>;
  recover(id: string, options: { dryRun: boolean }): Promise<Recovery>;
}
