import { type DevelopTask, type LoopState, taskCommand, taskText } from "@ccw-loop/core";
import { givenTaskText, TASK_LOOKS } from "@ccw-loop/view";
import { Box } from "ink";
import { type Line, line, span } from "../../components/line.ts";
import { Rule } from "../../components/panel.tsx";
import { ListRows } from "../../components/pointer.tsx";
import { Text, TextLine, TextLines } from "../../components/text.tsx";
import { useModel } from "../../components/use-model.ts";
import type { BindingId } from "../../keys/defaults.ts";
import { sending } from "../../model/effect.ts";
import { type Model, openedState, replaceScreen } from "../../model/model.ts";
import type { Binding, Screen, ViewProps } from "../../model/screen.ts";
import { type PromptState, promptFor, type TasksState } from "../../model/screen-states.ts";
import { bodyOf, moved as movedBy, windowAround } from "../../model/scroll.ts";
import { backBinding, movingBindings, opening, selectingRow } from "../bindings.ts";
import { orderAnswered, reordered, shownTasks } from "./order.ts";

export const tasksScreen: Screen<TasksState> = {
  title: (_, model) => `Tasks of ${openedState(model)?.title ?? "…"}`,
  place: "full",
  bindings: (state, model) => [
    ...taskBindings(state, model),
    backBinding("tasks"),
    ...movingBindings("tasks", (move, now) => {
      const last = shownTasks(state, openedState(now)).length - 1;
      const page = bodyOf(now.size).rows - 2;
      const selected = movedBy(state.selected, move, { page, last });
      return { model: replaceScreen(now, { ...state, selected }) };
    }),
  ],
  clicked: (state, { index }, model) =>
    selectingRow(model, state, { index, count: shownTasks(state, openedState(model)).length }),
  answered: orderAnswered,
  View: TasksView,
  plain: tasksPlain,
};

function taskBindings(state: TasksState, model: Model): readonly Binding[] {
  const loop = openedState(model);
  if (loop === undefined) return [];
  const { id } = state;
  const tasks = shownTasks(state, loop);
  const at = Math.min(state.selected, tasks.length - 1);
  const task = tasks[at];
  const bindings: Binding[] = [asking("tasks.add", "add", { name: "add-task", id })];
  if (task?.status === "pending") {
    const purpose = { name: "edit-task", id, taskId: task.id } as const;
    bindings.push(asking("tasks.edit", "edit", purpose, typedText(task)));
  }
  // The task that the running action works on is left alone.
  if (task !== undefined && (task.status !== "in_progress" || loop.action?.interrupted !== null)) {
    bindings.push(removing(id, task));
  }
  if (at < tasks.length - 1) bindings.push(moving(state, "later", 1));
  if (at > 0) bindings.push(moving(state, "earlier", -1));
  return [
    ...bindings,
    asking("tasks.import", "import issue", { name: "import-tasks", id }),
    asking("tasks.generate", "ask the agent", { name: "generate-tasks", id }),
  ];
}

/** As a person types it: a command behind a `$`. */
function typedText(task: DevelopTask): string {
  const command = taskCommand(task);
  return command === null ? task.description : `$ ${command}`;
}

function asking(id: BindingId, label: string, purpose: PromptState["purpose"], text = ""): Binding {
  return { id, label, run: opening(promptFor(purpose, text)) };
}

function removing(id: string, task: DevelopTask): Binding {
  return {
    id: "tasks.remove",
    label: "remove",
    run: opening({
      kind: "confirm",
      question: "Remove this task?",
      details: [taskText(task), "Files that it changed stay."],
      verb: "remove",
      yes: [sending(id, { type: "remove_task", task_id: task.id })],
    }),
  };
}

function moving(state: TasksState, label: "earlier" | "later", by: 1 | -1): Binding {
  return { id: `tasks.${label}`, label, run: (model) => reordered(state, model, by) };
}

/** Of the selected task so many lines are shown below the list. */
const DETAIL = 3;

function TasksView({ state, size: { columns, rows } }: ViewProps<TasksState>) {
  const model = useModel();
  const loop = openedState(model);
  const tasks = shownTasks(state, loop);
  const at = Math.min(state.selected, tasks.length - 1);
  const task = tasks[at];
  if (task === undefined) return <TextLines of={nothing(model)} />;
  const room = Math.max(1, rows - DETAIL - 2);
  const shown = windowAround(tasks, at, room);
  const text = [taskText(task), ...(task.summary ? [task.summary] : [])].join(" · ");
  return (
    <>
      <TextLine of={head(tasks)} />
      <ListRows
        of={shown.lines.map((one, i) => taskLine(one, shown.first + i + 1, loop ?? {}))}
        first={shown.first}
        selected={at}
        columns={columns}
        rows={room}
      />
      <Rule name={`${task.id} · ${task.status.replace("_", " ")}`} />
      <Box height={DETAIL} flexShrink={0} paddingX={1} overflow="hidden">
        <Text wrap="wrap">{text}</Text>
      </Box>
    </>
  );
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

function taskLine(task: DevelopTask, number: number, loop: Pick<LoopState, "settings">): Line {
  const { status, fixes, debugged } = task;
  const notes = [...(fixes === undefined ? [] : ["repair"]), ...(debugged ? ["looked into"] : [])];
  const { glyph, tone } = TASK_LOOKS[status];
  return [
    span(` ${glyph} `, tone),
    span(`${String(number).padStart(2)}  `, "quiet"),
    ...(notes.length > 0 ? [span(`(${notes.join(", ")}) `, "warning")] : []),
    span(givenTaskText(loop, task), status === "completed" ? "quiet" : "plain"),
  ];
}

function tasksPlain(state: TasksState, model: Model): Line[] {
  const tasks = shownTasks(state, openedState(model));
  if (tasks.length === 0) return nothing(model);
  const at = Math.min(state.selected, tasks.length - 1);
  return [
    head(tasks),
    ...tasks.map(({ status, ...task }, i): Line => {
      const mark = i === at ? "> " : "- ";
      return [span(`${mark}${i + 1}. ${status.replace("_", " ")}: `), span(taskText(task))];
    }),
  ];
}
