import { z } from "zod";
import type { Known } from "../json.ts";
import { Hypothesis } from "./hypothesis.ts";
import { Comparison, Objection } from "./receipt.ts";
import { Timestamp } from "./scalars.ts";
import { DevelopTask } from "./task.ts";
import { TestResult } from "./test-run.ts";

export const ActionName = z.enum(["INIT", "DEVELOP", "DEBUG", "VALIDATE", "COMPLETE", "MENU"]);
export type ActionName = Known<z.infer<typeof ActionName>>;

/** Those whose execution is an iteration. */
export const COUNTED_ACTIONS: readonly ActionName[] = ["DEVELOP", "DEBUG", "VALIDATE"];

export const Mode = z.enum(["interactive", "auto"]);
export type Mode = Known<z.infer<typeof Mode>>;

const Develop = z.looseObject({
  total: z.number().default(0),
  completed: z.number().default(0),
  current_task: z.string().nullish(),
  tasks: z.array(DevelopTask).default([]),
  last_progress_at: Timestamp.nullable().default(null),
});

/** What one DEBUG turn understood; the timeline of debug.md. */
export const DebugNote = z.looseObject({
  iteration: z.int(),
  at: Timestamp,
  text: z.string(),
  hypotheses: z.array(z.string()).default([]),
});
export type DebugNote = Known<z.infer<typeof DebugNote>>;

const Debug = z.looseObject({
  active_bug: z.string().nullish(),
  hypotheses_count: z.number().default(0),
  hypotheses: z.array(Hypothesis).default([]),
  confirmed_hypothesis: z.string().nullable().default(null),
  iteration: z.number().default(0),
  last_analysis_at: Timestamp.nullable().default(null),
  notes: z.array(DebugNote).optional(),
});

/** One VALIDATE of the timeline in validate.md. */
export const ValidateRun = z.looseObject({
  iteration: z.int(),
  at: Timestamp,
  passed: z.boolean(),
  reason: z.string(),
  command: z.string(),
  total: z.int(),
  passed_count: z.int(),
  failed_tests: z.array(z.string()).default([]),
});
export type ValidateRun = Known<z.infer<typeof ValidateRun>>;

/** Percent of one file's executable lines that were covered. */
export const FileRate = z.looseObject({ path: z.string(), lines: z.number() });
export type FileRate = Known<z.infer<typeof FileRate>>;

const Validate = z.looseObject({
  pass_rate: z.number().nullable().default(0),
  coverage: z.number().nullable().default(0),
  test_results: z.array(TestResult).default([]),
  passed: z.boolean().default(false),
  failed_tests: z.array(z.string()).default([]),
  last_run_at: Timestamp.nullable().default(null),
  /** True when something changed since `last_run_at`; absent in files of other tools. */
  stale: z.boolean().optional(),
  runs: z.array(ValidateRun).optional(),
  coverage_files: z.array(FileRate).optional(),
  /** The last run beside the baseline, and what speaks against it as a proof. */
  comparison: Comparison.optional(),
  objections: z.array(Objection).optional(),
});

export const ActionFailure = z.looseObject({
  action: z.string(),
  message: z.string(),
  timestamp: Timestamp,
});
export type ActionFailure = Known<z.infer<typeof ActionFailure>>;

/** What one turn used; money where the agent reports it. */
export const TURN_USAGE = {
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  output_tokens: z.number(),
  total_tokens: z.number(),
  cost_usd: z.number().optional(),
};

/** The action that is being executed, or was cut off and will be repeated. */
export const ActionInFlight = z.looseObject({
  name: ActionName,
  attempt: z.int().positive(),
  started_at: Timestamp,
  task_id: z.string().nullable().default(null),
  interrupted: z.string().nullable().default(null),
  /** What its running turn had used when that was last recorded. */
  turn: z.looseObject(TURN_USAGE).optional(),
  /** How many attempts ended by a crash or for no reason that anybody gave. */
  cut_off: z.int().optional(),
  /** How many attempts ended at a usage limit. */
  limited: z.int().optional(),
  /** The tree before its first attempt; what the action changed is measured against it. */
  base_tree: z.string().nullable().default(null),
  /** What a person answered to the question it stopped at. */
  answer: z.string().optional(),
});
export type ActionInFlight = Known<z.infer<typeof ActionInFlight>>;

/** What the execution plane knows (seeds 000, 001); written only through `append`. */
export const SkillState = z
  .looseObject({
    current_action: z
      .enum(["init", "develop", "debug", "validate", "complete", "menu"])
      .nullable()
      .default(null),
    last_action: z.string().nullable().default(null),
    completed_actions: z.array(z.string()).default([]),
    mode: Mode.default("interactive"),
    develop: Develop.prefault({}),
    debug: Debug.prefault({}),
    validate: Validate.prefault({}),
    errors: z.array(ActionFailure).default([]),
    summary: z.looseObject({}).nullish(),
    chosen_action: ActionName.nullish(),
    /** Tests that the plan excluded, as patterns: no iteration is spent on them, and a person decides. */
    set_aside: z.array(z.string()).optional(),
  })
  .meta({ id: "SkillState" });
export type SkillState = Known<z.infer<typeof SkillState>>;
