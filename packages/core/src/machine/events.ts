import { z } from "zod";
import type { Known } from "../json.ts";
import { Hypothesis, ProbeEvidence } from "../state/hypothesis.ts";
import { Limits, LoopState, Outcome, Settings, Waiting } from "../state/loop-state.ts";
import { Receipt } from "../state/receipt.ts";
import { limit, Revision, Timestamp } from "../state/scalars.ts";
import { ActionName, FileRate, Mode, TURN_USAGE } from "../state/skill-state.ts";
import { DevelopTask, NewTask, TaskChanges, TaskEdit, TaskRun } from "../state/task.ts";
import { Baseline, TestResult } from "../state/test-run.ts";
import { Checkpoint, LeftOut } from "../state/workspace.ts";

const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), at: Timestamp, ...shape });

/** What one executed action found out; measured facts, not claims. */
export const ActionOutput = z.lazy(() =>
  z.discriminatedUnion("action", [
    z.looseObject({
      action: z.literal("INIT"),
      mode: Mode,
      tasks: z.array(DevelopTask),
      set_aside: z.array(z.string()).optional(),
    }),
    z.looseObject({
      action: z.literal("DEVELOP"),
      task_id: z.string(),
      summary: z.string(),
      files_changed: z.array(z.string()),
      claimed_files: z.array(z.string()).optional(),
      /** Of a task that is a command. */
      command_run: TaskRun.optional(),
    }),
    z.looseObject({
      action: z.literal("DEBUG"),
      active_bug: z.string().nullable(),
      understanding: z.string(),
      hypotheses: z.array(Hypothesis),
      confirmed_hypothesis: z.string().nullable(),
      fix_tasks: z.array(DevelopTask),
      files_changed: z.array(z.string()),
    }),
    z.looseObject({
      action: z.literal("VALIDATE"),
      receipt: Receipt,
      test_results: z.array(TestResult),
      coverage: z.number().nullable(),
      coverage_files: z.array(FileRate).optional(),
      /** What the probes of confirmed causes showed when they were run again. */
      probes: z.array(ProbeEvidence).optional(),
    }),
    z.looseObject({ action: z.literal("COMPLETE"), summary: z.looseObject({}) }),
    z.looseObject({ action: z.literal("MENU") }),
  ]),
);
export type ActionOutput = Known<z.infer<typeof ActionOutput>>;
export type OutputOf<A extends ActionOutput["action"]> = Extract<ActionOutput, { action: A }>;

export const LoopEdit = z.object({
  title: z.string().trim().min(1).optional(),
  description: z.string().trim().optional(),
  max_iterations: limit("max_iterations").optional(),
  tags: z.array(z.string()).optional(),
  priority: z.enum(["low", "medium", "high"]).optional(),
  notes: z.string().optional(),
  limits: Limits.optional(),
  settings: Settings.optional(),
});
export type LoopEdit = Known<z.infer<typeof LoopEdit>>;

/**
 * Everything that can happen to a loop. Past tense, never refused by `evolve`. Made when an event is first read: a
 * command that only looks at loops starts without it.
 */
export const LoopEvent = z.lazy(() =>
  z.discriminatedUnion("type", [
    event("loop.created", {
      loop: LoopState,
      /** The document of another program that it was made from, and what that did not hold. */
      adopted_from: z.string().optional(),
      notes: z.array(z.string()).optional(),
    }),
    event("loop.started", {}),
    event("loop.paused", { reason: z.string().optional() }),
    event("loop.resumed", { reopened: z.boolean().optional() }),
    event("loop.stopped", { reason: z.string().optional() }),
    event("loop.exited", {}),
    event("loop.edited", { changes: LoopEdit }),
    event("loop.completed", { outcome: Outcome }),
    event("loop.failed", { outcome: Outcome }),
    event("task.added", { task: DevelopTask }),
    event("task.edited", { task_id: z.string(), changes: TaskChanges }),
    event("task.removed", { task_id: z.string() }),
    event("tasks.reordered", { task_ids: z.array(z.string()) }),
    event("action.chosen", { action: ActionName }),
    event("action.started", {
      action: ActionName,
      attempt: z.int().positive(),
      task_id: z.string().nullable(),
      tree: z.string().nullable(),
    }),
    event("action.completed", {
      action: ActionName,
      output: ActionOutput,
      active_ms: z.number(),
      message: z.string(),
      /** The tree when it ended, where that is known. */
      tree: z.string().nullish(),
    }),
    event("action.failed", {
      action: ActionName,
      task_id: z.string().nullable(),
      message: z.string(),
      code: z.string(),
      active_ms: z.number(),
      files_changed: z.array(z.string()).optional(),
      command_run: TaskRun.optional(),
      tree: z.string().nullish(),
    }),
    event("action.interrupted", {
      action: ActionName,
      reason: z.string(),
      active_ms: z.number(),
      /** Only a `crash` and an `error` count as attempts that came to nothing; so does a journal that does not say. */
      cause: z.enum(["crash", "error", "operator", "question", "usage_limit", "limit"]).optional(),
      /** The tree that it left, where that is known. */
      tree: z.string().nullish(),
    }),
    event("agent.attached", {
      driver: z.string(),
      session_id: z.string().nullable(),
      /** Its name, where it is not the loop's own. */
      agent: z.string().optional(),
    }),
    /** Until then `instead` goes on; absent where nobody does, so that the loop waits. */
    event("agent.limited", { agent: z.string(), until: Timestamp, instead: z.string().optional() }),
    /** In the middle of a DEBUG: what was proposed, and what probes showed, so that neither is lost with the process. */
    event("evidence.recorded", { hypotheses: z.array(Hypothesis) }),
    /** What the running turn has used up to now: it counts if the process does not live to complete the turn. */
    event("turn.measured", TURN_USAGE),
    event("turn.completed", {
      ...TURN_USAGE,
      turn_id: z.string().nullish(),
    }),
    event("waiting.started", { waiting: Waiting }),
    event("waiting.ended", { reason: z.string() }),
    event("baseline.measured", { baseline: Baseline }),
    event("checkpoint.made", { checkpoint: Checkpoint }),
    event("objections.accepted", { keys: z.array(z.string()) }),
    event("worktree.made", {
      path: z.string(),
      branch: z.string(),
      /** Why it was made, where nobody asked for it. */
      reason: z.string().optional(),
      /** Of a clone of the loop's repository: the machine that has it. */
      machine: z.string().optional(),
      /** The setup command that was run in it. */
      setup: z.looseObject({ command: z.string(), duration_ms: z.number() }).optional(),
      /** The tree of the checkpoint that it goes on from, and what is installed in it for the files of the start. */
      tree: z.string().nullish(),
      installed: z.string().optional(),
    }),
    /** Back to checkpoint `to`: `state` is what the loop is now, and its files are being restored. */
    event("loop.rewound", { to: z.int().nonnegative(), state: LoopState }),
    event("workspace.restored", { tree: z.string().nullable() }),
    event("workspace.measured", { tree: z.string().nullable() }),
    /** Files changed from `from` to `tree` while nothing of this loop ran: nobody's work, and never rewound. */
    event("workspace.changed", {
      from: z.string(),
      tree: z.string(),
      /** The first of them; `total` counts all. */
      files: z.array(
        z.object({ path: z.string(), kind: z.enum(["added", "modified", "deleted"]) }),
      ),
      total: z.int().nonnegative(),
      /** Whether the loop was being driven. */
      driven: z.boolean(),
      /** Whether the last test run says nothing about the files any more. */
      outdates: z.boolean(),
      start: z.string().nullable(),
      /** For the action that was cut off before. */
      base_tree: z.string().nullish(),
    }),
    /** From now on these files are no part of what is measured, kept and proven; `tree` is what that leaves. */
    event("files.left_out", {
      files: z.array(LeftOut),
      tree: z.string().nullable(),
    }),
    /** The newest receipt was not sealed by this program: it proves nothing, and a loop that ended by it is open again. */
    event("receipt.refused", { reason: z.string() }),
    event("external.edited", {
      state: LoopState,
      /** Paths of the fields that the document changed, and of those of its changes that something newer replaced. */
      changed: z.array(z.string()).optional(),
      superseded: z.array(z.string()).optional(),
      /** The revision that the document was made from, when it was written (epoch ms), and its fields that differ. */
      based_on: z.int().optional(),
      written: z.number().optional(),
      theirs: z.record(z.string(), z.unknown()).optional(),
      /** True when ours was put in its place before it was seen: who reads again reads ours. */
      covered: z.boolean().optional(),
      kept_aside: z.array(z.string()).optional(),
    }),
    event("loop.recovered", { state: LoopState, unknown: z.array(z.string()) }),
  ]),
);
export type LoopEvent = Known<z.infer<typeof LoopEvent>>;
export type LoopEventOf<T extends LoopEvent["type"]> = Extract<LoopEvent, { type: T }>;

export type EndEvent = LoopEventOf<"action.completed" | "action.failed">;

/** An event as the journal keeps it: with the revision of its commit and who caused it. */
export const RecordedEvent = z.object({
  revision: Revision,
  actor: z.string(),
  event: LoopEvent,
});
export type RecordedEvent = Known<z.infer<typeof RecordedEvent>>;

/** What an operator may ask of a loop; may be refused. */
export const LoopCommand = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start") }),
  z.object({ type: z.literal("pause"), reason: z.string().optional() }),
  z.object({
    type: z.literal("resume"),
    /** Also from `failed` and `completed`; what changed to make going on worth while is in `changes` or a task. */
    reopen: z.boolean().optional(),
    changes: LoopEdit.optional(),
    /** Also a running loop that waits for a usage limit: try again at once. */
    now: z.boolean().optional(),
  }),
  z.object({ type: z.literal("stop"), reason: z.string().optional() }),
  z.object({ type: z.literal("exit") }),
  z.object({ type: z.literal("edit"), changes: LoopEdit }),
  z.object({ type: z.literal("choose"), action: ActionName }),
  z.object({
    type: z.literal("answer"),
    text: z.string(),
    /** The option that the text is given under, where the question's options take a text: about `tests`. */
    option: z.string().optional(),
  }),
  z.object({ type: z.literal("add_task"), task: NewTask }),
  z.object({ type: z.literal("edit_task"), task_id: z.string(), changes: TaskEdit }),
  z.object({ type: z.literal("remove_task"), task_id: z.string() }),
  z.object({ type: z.literal("reorder_tasks"), task_ids: z.array(z.string()).min(1) }),
]);
export type LoopCommand = Known<z.infer<typeof LoopCommand>>;
