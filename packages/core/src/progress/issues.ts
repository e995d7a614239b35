import { reopenCommand } from "../machine/go-on.ts";
import { limitReached } from "../machine/limits.ts";
import type { LoopState } from "../state/loop-state.ts";
import { tasksOf } from "../state/tasks.ts";
import { percent } from "./numbers.ts";

/** What is not done, as sentences: open tasks, the limit that was reached, a missing or failed proof, failed tests. */
export function openIssues(state: LoopState): string[] {
  const issues: string[] = [];
  const limit = state.status === "completed" ? undefined : limitReached(state);
  if (limit) issues.push(`A limit was reached (${limit.code}): ${limit.message}`);
  for (const task of tasksOf(state)) {
    if (task.status !== "completed") {
      issues.push(`Task ${task.id} is ${task.status.replace("_", " ")}: ${task.description}`);
    }
  }
  const validate = state.skill_state?.validate;
  if (!validate || validate.last_run_at === null) issues.push("The tests were never run.");
  else if (!validate.passed) {
    for (const name of validate.failed_tests) issues.push(`Test failed: ${name}`);
    if (validate.failed_tests.length === 0) issues.push("The last test run did not pass.");
  } else if (validate.stale === true) issues.push("Something changed since the tests last passed.");
  return issues;
}

/** What to do next, by the rules of the completion summary; at least one line. */
export function recommendations(state: LoopState): string[] {
  const tasks = tasksOf(state);
  const skill = state.skill_state;
  const done = tasks.filter((task) => task.status === "completed").length;
  const { passed = false, coverage = null } = skill?.validate ?? {};
  const lines: string[] = [];
  const limit = state.status === "completed" ? undefined : limitReached(state);
  if (limit) lines.push(`Go on with a higher bound: ${reopenCommand(state, limit.code)}`);
  if (percent(done, tasks.length) < 100 && tasks.length > 0) {
    lines.push("Finish the remaining tasks.");
  }
  if (!passed) lines.push("Make the failing tests pass.");
  if (coverage !== null && coverage > 0 && coverage < 80) {
    lines.push(`Raise the test coverage from ${coverage}% to at least 80%.`);
  }
  if (skill && skill.debug.iteration > 3 && skill.debug.confirmed_hypothesis === null) {
    lines.push("Consider a redesign: debugging went on for long without finding a cause.");
  }
  const good = ["Review the changes.", "Update the documentation.", "Deploy when ready."];
  return lines.length > 0 ? lines : good;
}
