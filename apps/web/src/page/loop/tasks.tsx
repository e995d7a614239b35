import { type LoopState, type TaskStatus, tasksOf } from "@ccw-loop/core";
import { givenTaskText, TASK_LOOKS } from "@ccw-loop/view";
import { Panel } from "../parts/panel.tsx";

const WORDS: Readonly<Record<TaskStatus, string>> = {
  pending: "open",
  in_progress: "under way",
  completed: "done",
  failed: "failed",
};

export function Tasks({ state }: { state: LoopState }) {
  const tasks = tasksOf(state);
  const done = tasks.filter(({ status }) => status === "completed").length;
  return (
    <Panel title="Tasks" note={tasks.length === 0 ? undefined : `${done} of ${tasks.length} done`}>
      {tasks.length === 0 && <p className="quiet">No tasks yet: INIT makes them.</p>}
      <ul className="lines">
        {tasks.map(({ id, status, fixes, ...task }) => (
          <li key={id}>
            <span className={TASK_LOOKS[status].tone} aria-hidden="true">
              {TASK_LOOKS[status].glyph}
            </span>{" "}
            <span className={status === "completed" ? "quiet" : "plain"}>
              {givenTaskText(state, task)}
              {fixes !== undefined && ` (repairs ${fixes})`}
            </span>
            <span className="unseen">, {WORDS[status]}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
