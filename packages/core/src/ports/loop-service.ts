import { z } from "zod";
import type { Known } from "../json.ts";
import type { LoopCommand, RecordedEvent } from "../machine/events.ts";
import type { LoopSummary } from "../machine/loop-summary.ts";
import type { Menu, MenuChoice } from "../machine/menu.ts";
import type { Selection } from "../machine/select.ts";
import type { TimelineEntry } from "../progress/timeline.ts";
import { type Limits, LoopState, LoopStatus, type Settings } from "../state/loop-state.ts";
import { type PortableReceipt, Receipt, Square } from "../state/receipt.ts";
import type { DevelopTask } from "../state/task.ts";
import type { Activity, LiveEvent, WatchOptions } from "./live-events.ts";
import type { ListQuery, LoopPage, ReadLogOptions, Recovery, RevisionOptions } from "./store.ts";
import type { Missing } from "./verifier.ts";
import { Diff, WorktreeUse } from "./workspace.ts";

/** Who drives a loop. No part of its state: it follows from the lease. */
export const Driver = z.object({
  /** Null when nobody drives the loop. */
  driven_by: z.string().nullable().describe("The owner of its lease."),
  /** When its last driver was seen last, or it became due (RFC 3339). Null for every other one, also for a loop that waits or rests. */
  undriven_since: z
    .string()
    .nullable()
    .describe("Since when nobody drives a loop that is to be driven."),
});
export type Driver = z.infer<typeof Driver>;

/** A loop that is to be driven, and since when nobody does. */
export interface UndrivenLoop {
  id: string;
  since: string;
}

/** A page of loops, with those of them that nobody drives although they are to be driven. */
export interface LoopList extends LoopPage {
  undriven: UndrivenLoop[];
}

/** A page of loops in short; each says itself whether nobody drives it. */
export interface SummaryList extends Omit<LoopPage, "loops"> {
  loops: LoopSummary[];
}

/** What became of a loop; null: it was deleted. */
export interface SummaryChange {
  id: string;
  summary: LoopSummary | null;
}

/** What a new loop needs. Everything else has a default. */
export interface NewLoop {
  /** May be empty where a title says it all. */
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
  /** Give it a worktree and a branch of its own. Throws `invalid_input` without git. */
  worktree?: boolean;
}

export const ReceiptProblem = z.object({
  /**
   * `receipt`: it was edited, or sealed with another key; `tree`: other files lie there; `result`: the new runs do not prove
   * it; `missing`: something that the runs need is not there.
   */
  kind: z.enum(["receipt", "tree", "result", "missing"]),
  message: z.string(),
  /** Paths, tests or fields. */
  details: z.array(z.string()),
});
export type ReceiptProblem = z.infer<typeof ReceiptProblem>;

/** Whether what lies in a folder is what a receipt proves, by new runs of the square. */
export const ReceiptCheck = z.object({
  receipt: Receipt,
  /** `unknown`: it cannot be told here; then the problems say what is missing, with the next step. */
  result: z.enum(["stands", "falls", "unknown"]),
  problems: z.array(ReceiptProblem),
  /** The new runs; null where none were made. */
  square: Square.nullable(),
});
export type ReceiptCheck = Known<z.infer<typeof ReceiptCheck>>;

export interface VerifyReceiptOptions extends RevisionOptions {
  /** The operator's command; by default the one of the baseline. */
  command?: string | undefined;
  signal?: AbortSignal;
  /** Gets what the runs print, where they are made by this process. */
  onOutput?: (text: string) => void;
}

export const LoopDiff = z.object({
  /** Numbers of checkpoints. */
  from: z.int(),
  to: z.int(),
  ...Diff.shape,
});
export type LoopDiff = z.infer<typeof LoopDiff>;

/** A loop that went back to a checkpoint. */
export const Rewound = z.object({
  state: LoopState,
  /** Null when nothing had to be restored. */
  kept: z.string().nullable().describe("The commit that keeps the files as they were."),
  left: z.array(z.string()).describe("Files that stay: they were changed from outside."),
});
export type Rewound = Known<z.infer<typeof Rewound>>;

/** A worktree that `clean` looked at. */
export const CleanedWorktree = WorktreeUse.extend({
  /** Null for a worktree whose loop is gone. */
  status: LoopStatus.nullable(),
  removed: z.boolean(),
  reason: z.string().nullable().describe("Why it stays."),
});
export type CleanedWorktree = z.infer<typeof CleanedWorktree>;

export interface RunOptions {
  /** Aborting ends the running turn, records a pause with the abort's reason, and gives the lease back. */
  signal?: AbortSignal;
  /** What an abort makes of the loop: `pause` (default), or `release`: it stays running for the next supervisor to take up. */
  onAbort?: "pause" | "release";
  /** Aborting it lets the running action end; the loop then stays running without an owner, as with `release`. */
  leave?: AbortSignal;
  /**
   * Answers the menu of interactive mode; without it an interactive loop waits for input. A question that became
   * pointless (the loop was paused or stopped elsewhere, `signal` aborted) is not waited for.
   */
  choose?: (menu: Menu, state: LoopState) => Promise<MenuChoice>;
  /**
   * Asked at INIT of an interactive loop, before the agent plans, with the tests that are red and owed. Answers with
   * patterns of those that need not pass, which become the operator's `known_red` as well; with none where all are owed,
   * as they are without it. Only where this process drives the loop. Not waited for once it became pointless.
   */
  askKnownRed?: (red: readonly string[], state: LoopState) => Promise<string[]>;
  /**
   * Asked at INIT of an interactive loop where something is missing that the tests need and a command would bring it. True
   * runs that command, which becomes the operator's `setup`; false ends the loop, as without it.
   */
  askSetup?: (missing: readonly Missing[], state: LoopState) => Promise<boolean>;
  /** Wait here for a usage limit to be lifted (default), or return the waiting loop at once. */
  waitForLimits?: boolean;
  /** Everything this run records or sees, in order. Must not throw. */
  onEvent?: (event: LiveEvent) => void;
}

/** How a request that may come twice, or may come late, is told apart. */
export interface RequestOptions {
  /**
   * A repetition under the same id happens once and answers as the first did, also after a restart. Behind a `#` the
   * id may say what is asked (a digest): the same name with something else there throws `op_reused`.
   */
  opId?: string | undefined;
}

/** A request that is bound to a revision of its loop: decided in the commit that it makes, not before. */
export interface SendOptions extends RequestOptions, RevisionOptions {
  /**
   * False where whoever asks may not have commands run: then a request that adds or changes a `bash` task throws
   * `bash_not_allowed`. They may by default.
   */
  allowBash?: boolean | undefined;
}

export interface TaskRequest extends SendOptions {
  /** At most so many; the agent decides when it is left out. */
  count?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Everything an operator can do. CLI, TUI and HTTP are views of this (DESIGN promise 5). Whatever takes a `revision`
 * throws `revision_conflict` while the loop is at another one: what changes the loop decides that in its commit, `fork`
 * and `verify` by the one state that they read. Contract, executable as `describeLoopService` in `@ccw-loop/testkit`.
 */
export interface LoopService {
  create(spec: NewLoop, options?: RequestOptions): Promise<LoopState>;
  list(query?: ListQuery): Promise<LoopList>;
  /** As `list`, each loop in short: for screens of very many. */
  summaries(query?: ListQuery): Promise<SummaryList>;
  get(id: string): Promise<LoopState>;
  tasks(id: string): Promise<readonly DevelopTask[]>;
  /** What the loop would do next and why, and who drives it. */
  why(id: string): Promise<Selection & Driver>;
  /**
   * Retries on `revision_conflict`: the command is decided against the newest state. Throws what keeps the agent from working where a
   * `start` or `resume` would make the loop run, and changes nothing then.
   */
  send(id: string, command: LoopCommand, options?: SendOptions): Promise<LoopState>;
  /**
   * Everything the loop owns. Throws `invalid_transition` while it is running: of a start and a delete at the same moment
   * one wins.
   */
  delete(id: string, options?: RevisionOptions): Promise<void>;
  events(id: string, after?: number): AsyncIterable<RecordedEvent>;
  /** What agent.log has, in order; lines that another program wrote are left out unless they are objects. */
  activity(id: string, options?: ReadLogOptions): AsyncIterable<Activity>;
  /** Facts and activity as they happen, until `signal` aborts. */
  watch(id: string, options: WatchOptions): AsyncIterable<LiveEvent>;
  /**
   * Ids of loops that may have changed, from now on until `signal` aborts; may be late, doubled or early, never lost
   * for good. A loop that was deleted is told, too.
   */
  changes(signal: AbortSignal): AsyncIterable<string>;
  /**
   * As `changes`, each loop in short as it is then; one that cannot be read is not told. Ends also where something may have
   * been missed: then `summaries` has to be read anew.
   */
  summaryChanges(signal: AbortSignal): AsyncIterable<SummaryChange>;
  /**
   * Drives a loop until it ends, pauses or waits; starts or resumes it first when its status allows.
   * Throws `loop_busy` when another orchestrator drives it; a service that is asked from elsewhere goes on with it.
   */
  run(id: string, options?: RunOptions): Promise<LoopState>;
  /**
   * Adds the tasks of an issue's solution (`.workflow/issues`) to the loop's own; a command among them is as one that an agent
   * proposed. Throws `issue_not_found`, and `invalid_input` for one without tasks, or with more than anybody reads.
   */
  importTasks(id: string, issue: string, options?: SendOptions): Promise<DevelopTask[]>;
  /**
   * Asks the loop's agent for tasks, in a conversation of its own, and adds them. Throws what a turn throws, and
   * `agent_bad_result` for an answer without tasks.
   */
  generateTasks(id: string, options?: TaskRequest): Promise<DevelopTask[]>;
  /** A line to the agent in mid-turn. Throws `invalid_input` when this process drives no turn of it. */
  steer(id: string, text: string): Promise<void>;
  recover(id: string, options: RevisionOptions & { dryRun: boolean }): Promise<Recovery>;
  /** Every action in order, with what it changed, what the tests said and what it used. */
  timeline(id: string): Promise<TimelineEntry[]>;
  /** Between two checkpoints; from the start to the newest by default. Throws `invalid_input` for a number that is not there. */
  diff(id: string, range?: { from?: number; to?: number }): Promise<LoopDiff>;
  /**
   * What the loop did and its state go back together to checkpoint `n`; it is paused then. Files that changed from
   * outside stay as they are. Throws `invalid_transition` while it is running, `workspace_busy` while another loop works
   * on its files, and `workspace_changed` for files that both changed, or nobody knows who did (unless `force`, which
   * takes them back as well; what was there is kept in a commit).
   */
  rewind(id: string, n: number, options?: RevisionOptions & { force?: boolean }): Promise<Rewound>;
  /** A new loop that begins at checkpoint `n`, in a worktree of its own; the agent's conversation is copied where it can be. */
  fork(
    id: string,
    n: number,
    spec?: { id?: string; title?: string },
    options?: SendOptions,
  ): Promise<LoopState>;
  /**
   * Whether the newest receipt still stands: sealed by us, of the files that are there, and proven again by new runs of the
   * square in clean rooms. Throws `invalid_input` for a loop without a receipt, and for one whose tests are waived.
   */
  verify(id: string, options?: VerifyReceiptOptions): Promise<ReceiptCheck>;
  /**
   * The newest receipt of a loop as a file that travels. Throws `invalid_input` for a loop that has none, and for one whose
   * seal does not fit.
   */
  receipt(id: string, options?: RevisionOptions): Promise<PortableReceipt>;
  /** Removes worktrees of loops that have ended (or are gone); `dryRun` only looks. Uncommitted files are kept unless `force`. */
  clean(options?: { dryRun?: boolean; force?: boolean }): Promise<CleanedWorktree[]>;
}
