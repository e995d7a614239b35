import { type LoopState, tasksOf } from "@ccw-loop/core";
import { sanitizeLine } from "../text/inert-text.ts";
import { taskLines } from "./tasks.ts";

/** What `View progress` shows: tasks, hypotheses and the last test run. */
export function statusLines(state: LoopState): string[] {
  const skill = state.skill_state;
  const hypotheses = (skill?.debug.hypotheses ?? []).map(
    (h) => `  ${h.id} ${h.status}: ${sanitizeLine(h.description)}`,
  );
  const run = skill?.validate.runs?.at(-1);
  const failed = skill?.validate.failed_tests.map((name) => `  ✖ ${sanitizeLine(name)}`) ?? [];
  return [
    "",
    ...taskLines(tasksOf(state)),
    ...(hypotheses.length > 0 ? ["", "Hypotheses", ...hypotheses] : []),
    "",
    run ? `Last test run: ${sanitizeLine(run.reason)}` : "The tests have not been run.",
    ...failed,
  ];
}
