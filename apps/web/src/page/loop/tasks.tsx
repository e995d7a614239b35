import { type DevelopTask, type LoopState, type TaskStatus, tasksOf } from "@ccw-loop/core";
import { givenTaskText, TASK_LOOKS } from "@ccw-loop/view";
import { type DragEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { tell, tellError } from "../parts/notice.tsx";
import { Panel } from "../parts/panel.tsx";
import { loops } from "../parts/server.ts";

const WORDS: Readonly<Record<TaskStatus, string>> = {
  pending: "open",
  in_progress: "under way",
  completed: "done",
  failed: "failed",
};

/** The tasks in their order; open ones can be moved, by dragging and by keys. */
export function Tasks({ state, mayAct }: { state: LoopState; mayAct: boolean }) {
  const tasks = tasksOf(state);
  const done = tasks.filter(({ status }) => status === "completed").length;
  const open = tasks.filter(({ status }) => status === "pending");
  const canMove = mayAct && open.length > 1;
  const { over, ...moves } = useMoves(state, open);
  return (
    <Panel title="Tasks" note={tasks.length === 0 ? undefined : `${done} of ${tasks.length} done`}>
      {tasks.length === 0 && <p className="quiet">No tasks yet: INIT makes them.</p>}
      <ul className="lines tasks">
        {tasks.map((task) => {
          const isOpen = canMove && task.status === "pending";
          return (
            <li
              key={task.id}
              draggable={isOpen}
              className={over === task.id ? "over" : undefined}
              {...(isOpen ? moves.handlers(task.id) : {})}
            >
              <TaskText state={state} task={task} />
              {isOpen && <Handle name={task.description} {...moves.handle(task.id)} />}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function TaskText({ state, task }: { state: LoopState; task: DevelopTask }) {
  const { status, fixes } = task;
  return (
    <span>
      <span className={TASK_LOOKS[status].tone} aria-hidden="true">
        {TASK_LOOKS[status].glyph}
      </span>{" "}
      <span className={status === "completed" ? "quiet" : "plain"}>
        {givenTaskText(state, task)}
        {fixes !== undefined && ` (repairs ${fixes})`}
      </span>
      <span className="unseen">, {WORDS[status]}</span>
    </span>
  );
}

interface HandleProps {
  name: string;
  onKeyDown: (event: KeyboardEvent) => void;
  setRef: (button: HTMLButtonElement | null) => void;
}

function Handle({ name, onKeyDown, setRef }: HandleProps) {
  return (
    <button
      ref={setRef}
      type="button"
      className="ghost handle"
      aria-label={`Move "${name}": up and down`}
      title="Drag it, or move it with the up and down keys"
      onKeyDown={onKeyDown}
    >
      ⠿
    </button>
  );
}

/** Moves one of the open tasks to the place of another. */
function useMoves(state: LoopState, open: readonly DevelopTask[]) {
  const id = state.loop_id;
  const ids = open.map((task) => task.id);
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const moved = useRef<string | null>(null);
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const order = ids.join();
  // A node that is moved loses the focus.
  useLayoutEffect(() => {
    if (moved.current !== null) buttons.current.get(moved.current)?.focus();
    moved.current = null;
  }, [order]);

  const move = async (task: string, to: number) => {
    if (to < 0 || to >= ids.length || ids.indexOf(task) === to) return;
    const task_ids = ids.filter((one) => one !== task);
    task_ids.splice(to, 0, task);
    try {
      await loops.send(id, { type: "reorder_tasks", task_ids: [...settled(state), ...task_ids] });
      tell("good", `Moved to place ${to + 1} of ${ids.length} open tasks.`);
    } catch (error) {
      tellError(error);
    }
  };

  return {
    over,
    handlers: (task: string) => ({
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", task);
        setDragged(task);
      },
      onDragOver: (event: DragEvent) => {
        if (dragged === null) return;
        event.preventDefault();
        setOver(task);
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        if (dragged !== null) void move(dragged, ids.indexOf(task));
      },
      onDragEnd: () => {
        setDragged(null);
        setOver(null);
      },
    }),
    handle: (task: string) => ({
      onKeyDown: (event: KeyboardEvent) => {
        const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
        if (by === 0) return;
        event.preventDefault();
        moved.current = task;
        void move(task, ids.indexOf(task) + by);
      },
      setRef: (button: HTMLButtonElement | null) => {
        if (button === null) buttons.current.delete(task);
        else buttons.current.set(task, button);
      },
    }),
  };
}

/** What is done or under way stays before what is open. */
function settled(state: LoopState): string[] {
  return tasksOf(state).flatMap(({ id, status }) => (status === "pending" ? [] : [id]));
}
