import { bodyOf, moved as movedBy } from "../../frame/scroll.ts";
import { openedState } from "../../model/model.ts";
import { replaceScreen } from "../../model/stack.ts";
import { movingBindings, pageBack } from "../moving.ts";
import type { Screen } from "../screen.ts";
import { taskBindings } from "./bindings.ts";
import { tasksLines, tasksPlain } from "./lines.ts";
import { shownTasks } from "./order.ts";
import { orderAnswered } from "./reordering.ts";
import type { TasksState } from "./state.ts";

export const tasksScreen: Screen<TasksState> = {
  title: (_, model) => `Tasks of ${openedState(model)?.title ?? "…"}`,
  place: "full",
  bindings: (state, model) => [
    ...taskBindings(state, model),
    pageBack("tasks"),
    ...movingBindings("tasks", (move, now) => {
      const last = shownTasks(state, openedState(now)).length - 1;
      const page = bodyOf(now.size).rows - 2;
      const selected = movedBy(state.selected, move, { page, last });
      return { model: replaceScreen(now, { ...state, selected }) };
    }),
  ],
  answered: orderAnswered,
  lines: tasksLines,
  plain: tasksPlain,
};
