import { type LoopState, type TaskStatus, tasksOf } from "@ccw-loop/core";
import { givenTaskText, TASK_LOOKS } from "@ccw-loop/view";
import { hanging, type Line, line, span, wrapped } from "../../../components/line.ts";
import type { Pane } from "./pane.ts";

const WORDS: Readonly<Record<TaskStatus, string>> = {
  pending: "open",
  in_progress: "under way",
  completed: "done",
  failed: "failed",
};

export const tasksPane: Pane = {
  title: "Tasks",
  lines: ({ progress }, { columns, whole }) => taskLines(progress.state, columns, whole),
  note: ({ progress }) => taskNote(progress.state),
  plain: ({ progress }) => taskSentences(progress.state),
};

/** Every task with how it stands; `whole` with its full text. */
export function taskLines(state: LoopState, columns: number, whole: boolean): Line[] {
  const tasks = tasksOf(state);
  if (tasks.length === 0) return [line("No tasks yet.", "quiet")];
  return tasks.flatMap(({ status, id, fixes, ...task }) => {
    const { glyph, tone } = TASK_LOOKS[status];
    const text = `${givenTaskText(state, task)}${fixes === undefined ? "" : ` (repairs ${fixes})`}`;
    if (!whole)
      return [[span(`${glyph} `, tone), span(text, status === "completed" ? "quiet" : "plain")]];
    return hanging(line(`${glyph} `, tone), wrapped(`${id}  ${text}`, columns - 2));
  });
}

function taskNote(state: LoopState): string {
  const tasks = tasksOf(state);
  const done = tasks.filter(({ status }) => status === "completed").length;
  return `${done}/${tasks.length}`;
}

/** In words, for a screen reader. */
function taskSentences(state: LoopState): Line[] {
  const tasks = tasksOf(state);
  if (tasks.length === 0) return [line("No tasks yet.")];
  return tasks.map(({ status, id, ...task }) =>
    line(`Task ${id}, ${WORDS[status]}: ${givenTaskText(state, task)}`),
  );
}
