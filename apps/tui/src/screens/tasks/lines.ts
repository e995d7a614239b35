import type { DevelopTask, TaskStatus } from "@ccw-loop/core";
import { TASK_GLYPHS, type Tone } from "@ccw-loop/view";
import { blank, fit, type Line, line, type Size, selected, span } from "../../frame/line.ts";
import { wrapped } from "../../frame/wrap.ts";
import { type Model, openedState } from "../../model/model.ts";
import { shownTasks } from "./order.ts";
import type { TasksState } from "./state.ts";

const TONES: Readonly<Record<TaskStatus, Tone>> = {
  pending: "plain",
  in_progress: "name",
  completed: "good",
  failed: "bad",
};

/** Of the selected task so many lines are shown below the list. */
const DETAIL = 3;

export function tasksLines(state: TasksState, model: Model, { columns, rows }: Size): Line[] {
  const loop = openedState(model);
  const tasks = shownTasks(state, loop);
  if (tasks.length === 0) return nothing(model);
  const at = Math.min(state.selected, tasks.length - 1);
  const room = Math.max(1, rows - DETAIL - 2);
  const first = Math.max(0, Math.min(tasks.length - room, at - Math.floor(room / 2)));
  const shown = tasks.slice(first, first + room).map((task, i) => {
    const of = taskLine(task, first + i + 1);
    return first + i === at ? selected(fit(of, columns)) : of;
  });
  const filling = Array.from({ length: room - shown.length }, () => blank);
  return [head(tasks), ...shown, ...filling, ...detail(tasks[at], columns)];
}

function nothing(model: Model): Line[] {
  const { opened } = model;
  if (opened?.gone != null) return [line(` ${opened.gone}`, "bad")];
  if (openedState(model) === undefined) return [line(" Reading the loop…", "quiet")];
  return [
    line(" No tasks yet.", "strong"),
    line(" INIT has the agent plan them; those that you add here are the plan.", "quiet"),
  ];
}

function head(tasks: readonly DevelopTask[]): Line {
  const done = tasks.filter(({ status }) => status === "completed").length;
  return line(` ${done} of ${tasks.length} done`, "quiet");
}

function taskLine({ status, description, fixes, debugged }: DevelopTask, number: number): Line {
  const notes = [...(fixes === undefined ? [] : ["repair"]), ...(debugged ? ["looked into"] : [])];
  return [
    span(` ${TASK_GLYPHS[status]} `, TONES[status]),
    span(`${String(number).padStart(2)}  `, "quiet"),
    ...(notes.length > 0 ? [span(`(${notes.join(", ")}) `, "warning")] : []),
    span(description, status === "completed" ? "quiet" : "plain"),
  ];
}

function detail(task: DevelopTask | undefined, columns: number): Line[] {
  const rule = line("─".repeat(columns), "quiet");
  if (task === undefined) return [rule];
  const text = [task.description, ...(task.summary ? [task.summary] : [])].join(" · ");
  const id = ` ${task.id} · ${task.status.replace("_", " ")} `;
  return [
    line(`─${id}${"─".repeat(Math.max(0, columns - id.length - 1))}`, "quiet"),
    ...wrapped(text, columns - 2)
      .slice(0, DETAIL)
      .map((of): Line => [span(" "), ...of]),
  ];
}

export function tasksPlain(state: TasksState, model: Model): Line[] {
  const tasks = shownTasks(state, openedState(model));
  if (tasks.length === 0) return nothing(model);
  const at = Math.min(state.selected, tasks.length - 1);
  return [
    head(tasks),
    ...tasks.map(({ status, description }, i): Line => {
      const mark = i === at ? "> " : "- ";
      return [span(`${mark}${i + 1}. ${status.replace("_", " ")}: `), span(description)];
    }),
  ];
}
