import { omit, withoutUndefined } from "../json.ts";
import { testId } from "../proof/test-ids.ts";
import { addUsage, replaceTask, tasksOf, withSkill, withTasks } from "../state/derived.ts";
import { mergeHypotheses } from "../state/hypothesis.ts";
import type { LoopState } from "../state/loop-state.ts";
import { RECEIPTS_KEPT, type Receipt } from "../state/receipt.ts";
import { type ActionName, COUNTED_ACTIONS, SkillState } from "../state/skill-state.ts";
import { type DevelopTask, taskCommand } from "../state/task.ts";
import { percent } from "../text.ts";
import type { EndEvent, LoopEventOf, OutputOf } from "./events.ts";
import { resetOutdatedRuns, withSeenTree } from "./evolve-workspace.ts";
import { settleCauses } from "./settle-causes.ts";

export function startAction(state: LoopState, event: LoopEventOf<"action.started">): LoopState {
  const before = event.attempt > 1 ? state.action : undefined;
  const action = {
    name: event.action,
    attempt: event.attempt,
    started_at: event.at,
    task_id: event.task_id,
    interrupted: null,
    base_tree: before?.base_tree ?? event.tree,
    ...withoutUndefined({
      answer: before?.answer,
      cut_off: before?.cut_off,
      limited: before?.limited,
    }),
  };
  // Until it ends, what changes is its own.
  const begun = withSeenTreeAfter(event, { ...state, action }, null);
  const next = replaceTask(begun, event.task_id, (task) => ({ ...task, status: "in_progress" }));
  return withSkill(next, (skill) => ({
    ...skill,
    current_action: event.action.toLowerCase() as SkillState["current_action"],
    develop: { ...skill.develop, current_task: event.task_id },
  }));
}

/** COMPLETE changes no files, so what is known of them stays known. */
function withSeenTreeAfter(
  { action }: { action: ActionName },
  state: LoopState,
  tree: string | null,
) {
  return action === "COMPLETE" ? state : withSeenTree(state, tree);
}

export function interruptAction(
  state: LoopState,
  event: LoopEventOf<"action.interrupted">,
): LoopState {
  const { action } = state;
  // A turn whose process died was one all the same, with what is known of it.
  const turn = action?.turn && { ...action.turn, turns: 1 };
  const used = addUsage(addUsage(state.usage, event), turn ?? {});
  const next = withSeenTreeAfter(event, { ...state, usage: used }, event.tree ?? null);
  if (!action) return next;
  next.action = { ...omit(action, "turn"), interrupted: event.reason };
  const { cause = "error" } = event;
  if (cause === "usage_limit") next.action.limited = (action.limited ?? 0) + 1;
  if (cause === "crash" || cause === "error") next.action.cut_off = (action.cut_off ?? 0) + 1;
  return next;
}

export function failAction(state: LoopState, event: LoopEventOf<"action.failed">): LoopState {
  let next = finish(state, event);
  if (event.action === "DEVELOP") {
    next = replaceTask(next, event.task_id, (task) => ({
      ...omit(task, "command_run"),
      status: "failed",
      attempts: (task.attempts ?? 0) + 1,
      debugged: false,
      ...withoutUndefined({ command_run: event.command_run }),
    }));
  }
  return withSkill(next, (skill) => ({
    ...skill,
    errors: [
      ...skill.errors,
      { action: event.action, message: event.message, timestamp: event.at },
    ],
    validate: staleIf(skill, (event.files_changed?.length ?? 0) > 0),
  }));
}

export function completeAction(
  state: LoopState,
  event: LoopEventOf<"action.completed">,
): LoopState {
  const { output, at } = event;
  if (output.action === "MENU") return state;
  const next = finish(state, event);
  switch (output.action) {
    case "INIT":
      return initialized(next, output);
    case "DEVELOP":
      return developed(next, output, at);
    case "DEBUG":
      return debugged(next, output, at);
    case "VALIDATE":
      return validated(next, output, at);
    case "COMPLETE":
      return withSkill(next, (skill) => ({ ...skill, summary: output.summary }));
  }
}

function finish(state: LoopState, event: EndEvent): LoopState {
  const usage = addUsage(state.usage, { active_ms: event.active_ms });
  const failures = event.type === "action.failed" ? usage.consecutive_failures + 1 : 0;
  const ended: LoopState = {
    ...omit(state, "action"),
    usage: { ...usage, consecutive_failures: failures },
    current_iteration: state.current_iteration + (COUNTED_ACTIONS.includes(event.action) ? 1 : 0),
  };
  const left = withSeenTreeAfter(event, ended, event.tree ?? null);
  const next =
    event.action === "DEVELOP" || event.action === "DEBUG" ? resetOutdatedRuns(left) : left;
  return withSkill(next, (skill) => ({
    ...skill,
    current_action: null,
    develop: { ...skill.develop, current_task: null },
    chosen_action: null,
    last_action: event.action,
    completed_actions: [...skill.completed_actions, event.action],
  }));
}

function initialized(state: LoopState, output: OutputOf<"INIT">): LoopState {
  const skill_state = SkillState.parse({
    mode: output.mode,
    last_action: "INIT",
    completed_actions: ["INIT"],
    validate: { stale: true },
    ...(output.set_aside?.length ? { set_aside: output.set_aside } : {}),
  });
  return withTasks({ ...omit(state, "tasks"), skill_state }, output.tasks);
}

function developed(state: LoopState, output: OutputOf<"DEVELOP">, at: string): LoopState {
  const next = replaceTask(state, output.task_id, (task) => ({
    ...omit(task, "command_run"),
    status: "completed",
    completed_at: at,
    summary: output.summary,
    files_changed: output.files_changed,
    attempts: (task.attempts ?? 0) + 1,
    ...withoutUndefined({ claimed_files: output.claimed_files, command_run: output.command_run }),
  }));
  return withSkill(repaired(next, output.task_id, at), (skill) => ({
    ...skill,
    develop: { ...skill.develop, last_progress_at: at },
    validate: staleIf(skill, true),
  }));
}

/**
 * The failed task that a finished one repairs is done as well, and so is the one which that was to repair. A command is done
 * only when it was run: it is open again.
 */
function repaired(state: LoopState, by: string, at: string): LoopState {
  const fixes = tasksOf(state).find((t) => t.id === by)?.fixes;
  const failed = tasksOf(state).find((t) => t.id === fixes && t.status === "failed");
  if (!failed) return state;
  if (taskCommand(failed) !== null) {
    return replaceTask(state, failed.id, (task) => ({ ...task, status: "pending" }));
  }
  const next = replaceTask(state, failed.id, (task) => ({
    ...task,
    status: "completed",
    completed_at: at,
  }));
  return repaired(next, failed.id, at);
}

function debugged(state: LoopState, output: OutputOf<"DEBUG">, at: string): LoopState {
  const open: DevelopTask[] = tasksOf(state).map((task) =>
    task.status === "failed" ? afterDebug(task, output) : task,
  );
  const next = withTasks(state, [...open, ...output.fix_tasks]);
  return withSkill(next, (skill) => {
    const hypotheses = mergeHypotheses(skill.debug.hypotheses, output.hypotheses);
    const iteration = skill.debug.iteration + 1;
    const touched = [...new Set(output.hypotheses.map((h) => h.id))];
    const note = { iteration, at, text: output.understanding, hypotheses: touched };
    return {
      ...skill,
      debug: {
        ...skill.debug,
        active_bug: output.active_bug,
        hypotheses,
        hypotheses_count: hypotheses.length,
        confirmed_hypothesis: output.confirmed_hypothesis,
        iteration,
        last_analysis_at: at,
        notes: [...(skill.debug.notes ?? []), note],
      },
      validate: staleIf(skill, output.files_changed.length > 0),
    };
  });
}

/** What is on record in the middle of a DEBUG; the verdicts come with its end. */
export function recordEvidence(
  state: LoopState,
  event: LoopEventOf<"evidence.recorded">,
): LoopState {
  return withSkill(state, (skill) => {
    const hypotheses = mergeHypotheses(skill.debug.hypotheses, event.hypotheses);
    const debug = { ...skill.debug, hypotheses, hypotheses_count: hypotheses.length };
    return { ...skill, debug };
  });
}

/** A failed task is tried once more with what DEBUG learnt, unless a fix task repairs it. */
function afterDebug(task: DevelopTask, output: OutputOf<"DEBUG">): DevelopTask {
  const repaired = output.fix_tasks.some((fix) => fix.fixes === task.id);
  const again = !repaired && !task.debugged && (task.attempts ?? 0) < 2;
  return { ...task, debugged: true, ...(again ? { status: "pending" as const } : {}) };
}

function validated(state: LoopState, output: OutputOf<"VALIDATE">, at: string): LoopState {
  const { receipt } = output;
  const { counts } = receipt;
  const failed_tests = output.test_results.filter((t) => t.status === "failed").map(testId);
  const run = {
    iteration: receipt.iteration,
    at,
    passed: receipt.passed,
    reason: receipt.reason,
    command: receipt.command,
    total: counts.total,
    passed_count: counts.passed,
    failed_tests,
  };
  const next: LoopState = {
    ...state,
    receipts: [...(state.receipts ?? []).map(withoutTests), receipt].slice(-RECEIPTS_KEPT),
    workspace: { ...state.workspace, tree: receipt.tree_after },
  };
  return withSkill(next, (skill) => ({
    ...skill,
    debug: settleCauses(skill.debug, output, at),
    validate: {
      ...skill.validate,
      pass_rate: percent(counts.passed, counts.passed + counts.failed),
      coverage: output.coverage,
      ...(output.coverage_files ? { coverage_files: output.coverage_files } : {}),
      ...(receipt.comparison ? { comparison: receipt.comparison } : {}),
      objections: receipt.objections,
      test_results: output.test_results,
      passed: receipt.passed,
      failed_tests,
      last_run_at: at,
      stale: false,
      runs: [...(skill.validate.runs ?? []), run],
    },
  }));
}

/** A state file is written whole with every commit; what an older receipt named one by one is in the journal. */
export function withoutTests(receipt: Receipt): Receipt {
  return { ...omit(receipt, "tests"), test_files: {} };
}

function staleIf(skill: SkillState, changed: boolean): SkillState["validate"] {
  return changed ? { ...skill.validate, stale: true } : skill.validate;
}
