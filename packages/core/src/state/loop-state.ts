import { z } from "zod";
import type { Known } from "../json.ts";
import { Receipt } from "./receipt.ts";
import { Label, LoopRepository } from "./repository.ts";
import { LAST_REVISION, limit, Timestamp, wholeLimit } from "./scalars.ts";
import { ActionInFlight, Mode, SkillState } from "./skill-state.ts";
import { DevelopTask } from "./task.ts";
import { Baseline } from "./test-run.ts";
import { Checkpoint, WorkspaceState } from "./workspace.ts";

/** One executed iteration that brought no advance. */
export const Attempt = z.looseObject({
  iteration: z.int(),
  action: z.string(),
  /** What was tried and what it came to, on one line. */
  text: z.string(),
});
export type Attempt = Known<z.infer<typeof Attempt>>;

/** What is known about a loop's progress, judged on measured facts after every iteration (ADR 16). */
export const Stall = z.looseObject({
  /** Iterations since the last advance; a first repair that waits for its test run is not among them. */
  stalled: z.int().default(0),
  /** The last iterations in a row that brought nothing new at all. */
  idle: z.int().default(0),
  /** Repairs since the last VALIDATE that are not counted in `stalled`. */
  unmeasured: z.int().default(0),
  /** Test runs since the last advance that failed in another way than any before, and no worse. */
  sidesteps: z.int().default(0),
  /** DEBUG was put in the place of the next repair since the last advance. */
  debugged: z.boolean().default(false),
  /** Most planned tasks that were ever done, fewest tests that ever failed, best whole percent of coverage. */
  best_done: z.int().default(0),
  best_failing: z.int().nullable().default(null),
  best_coverage: z.int().nullable().default(null),
  /** Tests that failed in the last run; null while there was none, or where they cannot be counted. */
  last_failing: z.int().nullable().default(null),
  /** Most hypotheses that were ever decided on evidence. */
  decided: z.int().default(0),
  /** Fingerprints of trees and of failing sets that were seen, newest last. */
  trees: z.array(z.string()).default([]),
  failures: z.array(z.string()).default([]),
  /** The newest iterations since the last advance. */
  tried: z.array(Attempt).default([]),
  /** What a person said when asked; told to the agent until the next advance. */
  guidance: z.string().optional(),
});
export type Stall = Known<z.infer<typeof Stall>>;

export const LoopStatus = z.enum([
  "created",
  "running",
  "paused",
  "completed",
  "failed",
  "user_exit",
]);
export type LoopStatus = Known<z.infer<typeof LoopStatus>>;

/** Why a loop ended; `code` is one of `OUTCOMES` for loops we ended ourselves. */
export const Outcome = z.looseObject({ code: z.string(), message: z.string() });
export type Outcome = Known<z.infer<typeof Outcome>>;

/**
 * What ends the wait: an answer (`input`), a yes or no to what the loop found (`approval`), the clock (`usage_limit`), or
 * another idea than those that were tried (`no_progress`).
 */
export const WaitingKind = z.enum(["input", "approval", "usage_limit", "no_progress"]);
export const Waiting = z.looseObject({
  kind: WaitingKind,
  since: Timestamp,
  until: Timestamp.optional(),
  prompt: z.string().optional(),
  options: z.array(z.string()).optional(),
  /** The menu of interactive mode is what is waited for; `choose` answers it. */
  menu: z.boolean().optional(),
  /**
   * What is asked about, where an answer has a meaning of its own: `objections` of the last receipt, `files` that change
   * although nothing of the loop runs, a `review` that was not made, `tests` that were not found.
   */
  about: z.enum(["objections", "files", "review", "tests"]).optional(),
});
export type Waiting = Known<z.infer<typeof Waiting>>;

/** Bounds beside `max_iterations`. Durations in milliseconds of work, pauses not counted. */
export const Limits = z.looseObject({
  max_duration_ms: limit("max_duration_ms").optional(),
  max_turns: wholeLimit("max_turns").optional(),
  max_tokens: limit("max_tokens").optional(),
  /** In US dollars, where the agent reports what a turn cost; there is no default. */
  max_cost_usd: limit("max_cost_usd").optional(),
  /** Iterations without progress after which the loop waits for a person (ADR 16). */
  max_stalled: wholeLimit("max_stalled").optional(),
  max_consecutive_failures: wholeLimit("max_consecutive_failures").optional(),
  turn_timeout_ms: limit("turn_timeout_ms").optional(),
  /** Of one run of the tests. Absent: five times as long as the baseline took, at least two minutes. */
  test_timeout_ms: limit("test_timeout_ms").optional(),
  /** Of the command of one task. */
  task_timeout_ms: limit("task_timeout_ms").optional(),
});
export type Limits = Known<z.infer<typeof Limits>>;

/** What the loop has used so far; tokens as the agent reports them. */
export const Usage = z.looseObject({
  turns: z.int().default(0),
  active_ms: z.number().default(0),
  input_tokens: z.number().default(0),
  cached_input_tokens: z.number().default(0),
  output_tokens: z.number().default(0),
  total_tokens: z.number().default(0),
  /** Absent while the agent has not reported any cost. */
  cost_usd: z.number().optional(),
  consecutive_failures: z.int().default(0),
});
export type Usage = Known<z.infer<typeof Usage>>;

/** The operator's choices for this loop; `mode` only until INIT puts it into `skill_state`. */
export const Settings = z.looseObject({
  mode: Mode.optional(),
  verify: z.string().optional(),
  /** A command that is run once, before the tests are run for the first time: it installs what they need. */
  setup: z.string().optional(),
  /** Absent for a loop that works in the project that keeps it. */
  repository: LoopRepository.optional(),
  /** Labels that whoever drives it unasked has to have. */
  needs: z.array(Label).max(20).optional(),
  agent: z.string().optional(),
  /** The agent that goes on while another one is at its usage limit; without one the loop waits. */
  fallback: z.string().optional(),
  /** The agent that looks at proven work before the loop ends (ADR 32). */
  review: z.string().optional(),
  /** Of the loop's own agent. */
  model: z.string().optional(),
  session: z.enum(["single", "fresh"]).optional(),
  /** The operator's reason to accept a project without tests. */
  waive_tests: z.string().optional(),
  /** Tests that failed before and must pass at the end; patterns with `*`, or a part of the id. */
  targets: z.array(z.string()).optional(),
  /** Tests and commands that failed before and need not pass. */
  known_red: z.array(z.string()).optional(),
  /** `unchanged`: behaviour must stay as it was (a refactoring), so no test has to fail without the change. */
  expect: z.enum(["change", "unchanged"]).optional(),
  /** Paths (or patterns with `*`) of tests and their configuration that may be changed. */
  allow_test_changes: z.array(z.string()).optional(),
  /** Percent of lines that must be covered. */
  min_coverage: z.number().min(0).max(100).optional(),
  /** Changed lines must be covered as well as the project was before. */
  no_coverage_drop: z.boolean().optional(),
  /** How often a failing test is run again to see whether it is flaky; default 2. */
  flaky_reruns: z.int().min(0).max(10).optional(),
});
export type Settings = Known<z.infer<typeof Settings>>;

/** `{loopId}.json`: the state contract of the seeds and our optional additions. */
export const LoopState = z
  .looseObject({
    loop_id: z.string().min(1),
    title: z.string(),
    description: z.string().default(""),
    max_iterations: limit("max_iterations").default(10),
    status: LoopStatus,
    current_iteration: z.number().nonnegative().max(LAST_REVISION).default(0),
    created_at: Timestamp,
    updated_at: Timestamp,
    completed_at: Timestamp.optional(),
    failure_reason: z.string().optional(),
    tags: z.array(z.string()).optional(),
    priority: z.enum(["low", "medium", "high"]).optional(),
    notes: z.string().optional(),
    skill_state: SkillState.nullish(),
    schema_version: z.int().optional(),
    revision: z.int().nonnegative().max(LAST_REVISION).optional(),
    etag: z.string().optional(),
    outcome: Outcome.optional(),
    waiting: Waiting.optional(),
    limits: Limits.optional(),
    usage: Usage.optional(),
    stall: Stall.optional(),
    agent: z
      .looseObject({
        driver: z.string(),
        session_id: z.string().nullable().default(null),
        /** The agent's name for the last finished turn; a fork can begin behind it. */
        turn_id: z.string().nullish(),
        /** The conversation that the next session continues on its own. */
        fork_of: z
          .looseObject({ session_id: z.string(), turn_id: z.string().nullable().default(null) })
          .nullish(),
      })
      .optional(),
    /** What is known of the agents that tasks or a limit brought in, and of each one's limit, by the agent's name. */
    agents: z
      .record(
        z.string(),
        z.looseObject({
          driver: z.string().optional(),
          session_id: z.string().nullish(),
          /** Before then it does nothing more, as it said. */
          limited_until: Timestamp.optional(),
        }),
      )
      .optional(),
    workspace: WorkspaceState.optional(),
    baseline: Baseline.optional(),
    checkpoints: z.array(Checkpoint).optional(),
    receipts: z.array(Receipt).optional(),
    /** Keys of objections that a person accepted. */
    accepted: z.array(z.string()).optional(),
    action: ActionInFlight.optional(),
    settings: Settings.optional(),
    /** Tasks given before INIT; INIT moves them into `skill_state.develop.tasks`. */
    tasks: z.array(DevelopTask).optional(),
  })
  .meta({ id: "LoopState", title: "CCW Loop state file" });
export type LoopState = Known<z.infer<typeof LoopState>>;

/**
 * The version that we write into `schema_version`: since 3, commits of large loops tell only what they changed. A loop with
 * a higher one is refused.
 */
export const SCHEMA_VERSION = 3;

/** Bounds of every loop that names none itself: four hours of work, 200 turns, 20 million tokens, … No bound on money. */
export const DEFAULT_LIMITS = {
  max_duration_ms: 4 * 60 * 60 * 1000,
  max_turns: 200,
  max_tokens: 20_000_000,
  max_stalled: 15,
  max_consecutive_failures: 5,
  turn_timeout_ms: 30 * 60 * 1000,
  task_timeout_ms: 10 * 60 * 1000,
} as const satisfies Limits;
