import type { z } from "zod";
import type { Plain } from "../json.ts";
import { Hypothesis } from "./hypothesis.ts";
import type { LoopState, Settings } from "./loop-state.ts";
import type { SkillState } from "./skill-state.ts";
import { DevelopTask, taskCommand } from "./task.ts";

/** Who may set a field. */
export type Source = "operator" | "record" | "measured";

/** A field of one source, an object whose fields differ, a list of things with ids, or a word of which some are free. */
export type Rule = Source | Fields | ItemsRule | WordsRule;

export interface Fields {
  fields: Readonly<Record<string, Rule>>;
  /**
   * The fields that a file leaves as `ours` has them, for what they would say together with the others. A loop that comes out of
   * a file alone brings its own.
   */
  reserved?: (theirs: Plain, ours: Plain) => readonly string[];
  /** For fields that the schema does not name; `operator` by default: nothing of ours reads them. */
  others?: Source;
}

export interface ItemsRule {
  each: Fields;
  schema: z.ZodType;
  /** False where only the orchestrator takes things out of the list. */
  removable: boolean;
}

export interface WordsRule {
  /** What an operator may put there; every other word is a `record`. */
  words: readonly string[];
}

/** Every field of a schema has its rule: one that is added does not compile without. */
type RulesFor<S extends z.ZodObject> = Readonly<Record<keyof S["shape"], Rule>>;

const TASK = {
  id: "operator",
  description: "operator",
  tool: "operator",
  mode: "operator",
  // A person may do a task, or have one done again. The tests are run behind that in any case.
  status: { words: ["pending", "completed"] },
  files_changed: "record",
  created_at: "operator",
  completed_at: "operator",
  prompt_template: "operator",
  command: "operator",
  on_error: "operator",
  updated_at: "operator",
  summary: "operator",
  claimed_files: "record",
  attempts: "record",
  debugged: "record",
  fixes: "record",
  command_run: "record",
  proposed: "record",
} as const satisfies RulesFor<typeof DevelopTask>;

/**
 * Agents can write the files of a loop, and must not have a command run that no operator gave, nor one of theirs again or
 * with more rights. So `bash` with its command is one value, which a file may take away and never give; and a task that is a
 * command keeps its mode, and does not become open again.
 */
function reservedOfTask(theirs: Plain, ours: Plain): readonly string[] {
  if (theirs.tool !== "bash") return [];
  const given = commandIn(ours);
  const same = given !== null && commandIn(theirs) === given;
  return [
    ...(same ? ["proposed"] : ["tool", "command", "proposed"]),
    ...(given === null ? [] : ["mode", ...(theirs.status === "pending" ? ["status"] : [])]),
  ];
}

function commandIn({ tool, command }: Plain): string | null {
  return typeof tool === "string" && typeof command === "string"
    ? taskCommand({ tool, command })
    : null;
}

/** A list of tasks, wherever it stands. */
export const TASKS: ItemsRule = {
  each: { fields: TASK, reserved: reservedOfTask },
  schema: DevelopTask,
  removable: true,
};

/** An operator may propose a cause; what came of it is evidence. */
const HYPOTHESIS = {
  id: "operator",
  description: "operator",
  testable_condition: "operator",
  logging_point: "operator",
  evidence_criteria: "operator",
  likelihood: "operator",
  probe: "operator",
  explains: "operator",
  status: "measured",
  evidence: "measured",
  verdict_reason: "measured",
  closed_at: "measured",
  settled_at: "measured",
  claimed_evidence: "measured",
} as const satisfies RulesFor<typeof Hypothesis>;

type SkillShape = typeof SkillState.shape;
type PartOf<K extends "develop" | "debug"> =
  SkillShape[K] extends z.ZodPrefault<infer T> ? T : never;

const DEVELOP = {
  total: "record",
  completed: "record",
  current_task: "record",
  tasks: TASKS,
  last_progress_at: "record",
} as const satisfies RulesFor<PartOf<"develop">>;

const DEBUG = {
  active_bug: "operator",
  hypotheses_count: "record",
  hypotheses: { each: { fields: HYPOTHESIS }, schema: Hypothesis, removable: false },
  confirmed_hypothesis: "measured",
  iteration: "record",
  last_analysis_at: "record",
  notes: "record",
} as const satisfies RulesFor<PartOf<"debug">>;

const SKILL = {
  current_action: "record",
  last_action: "record",
  completed_actions: "record",
  mode: "operator",
  develop: { fields: DEVELOP },
  debug: { fields: DEBUG },
  validate: "measured",
  errors: "record",
  summary: "record",
  chosen_action: "measured",
  set_aside: "measured",
} as const satisfies RulesFor<typeof SkillState>;

/** What counts as proof is an operator's word, and a file in the agent's reach is not how they give it (ADR 12). */
const SETTINGS = {
  mode: "record",
  agent: "record",
  fallback: "measured",
  review: "measured",
  model: "record",
  session: "record",
  verify: "measured",
  setup: "measured",
  repository: "measured",
  needs: "measured",
  waive_tests: "measured",
  targets: "measured",
  known_red: "measured",
  allow_test_changes: "measured",
  min_coverage: "measured",
  no_coverage_drop: "measured",
  flaky_reruns: "measured",
  expect: "measured",
} as const satisfies RulesFor<typeof Settings>;

const STATE = {
  // The name of the file counts.
  loop_id: "record",
  title: "operator",
  description: "operator",
  max_iterations: "operator",
  // A change of it is a command, and how a loop ended is known to whom it ended by.
  status: "record",
  current_iteration: "record",
  created_at: "record",
  updated_at: "record",
  completed_at: "record",
  failure_reason: "record",
  tags: "operator",
  priority: "operator",
  notes: "operator",
  skill_state: { fields: SKILL },
  schema_version: "record",
  revision: "record",
  etag: "record",
  outcome: "record",
  waiting: "measured",
  limits: "operator",
  usage: "record",
  stall: "record",
  agent: "measured",
  agents: "measured",
  workspace: "measured",
  baseline: "measured",
  checkpoints: "measured",
  receipts: "measured",
  accepted: "measured",
  action: "measured",
  settings: { fields: SETTINGS, others: "measured" },
  tasks: TASKS,
} as const satisfies RulesFor<typeof LoopState>;

/** The one list of what a file that somebody else may have written brings into a loop. */
export const LOOP_FIELDS: Fields = { fields: STATE };
