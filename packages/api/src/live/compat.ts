import {
  type Clock,
  type LoopState,
  type RecordedEvent,
  type TaskLine,
  taskLine,
  tasksOf,
} from "@ccw-loop/core";
import type { LoopChange } from "./project-feed.ts";

/** Between two states of one loop. */
const APART_MS = 1000;

/**
 * Sends upstream's messages of changes. States of a loop go a second apart or more: the first one at once, then the
 * newest, so that the last one always comes. Everything else goes as it happens.
 */
export function compatSender(
  clock: Clock,
  signal: AbortSignal,
  send: (frame: CompatFrame) => void,
) {
  /** Loops whose state was sent less than a second ago, and the one that waits since then. */
  const recent = new Map<string, { waiting?: CompatFrame }>();

  async function sendState(state: CompatFrame): Promise<void> {
    const id = state.loop_id;
    const before = recent.get(id);
    if (before) {
      before.waiting = state;
      return;
    }
    const sent: { waiting?: CompatFrame } = {};
    recent.set(id, sent);
    send(state);
    await clock.sleep(APART_MS, signal);
    if (signal.aborted || recent.get(id) !== sent) return;
    recent.delete(id);
    if (sent.waiting) void sendState(sent.waiting);
  }

  return (change: LoopChange): void => {
    const { once, state } = compatFramesOf(change);
    once.forEach(send);
    if (change.state === null) recent.delete(change.id);
    if (state) void sendState(state);
  };
}

/** A message of upstream's `/ws`, with its names and in its order of fields. */
export interface CompatFrame {
  type: string;
  loop_id: string;
  [field: string]: unknown;
}

/**
 * The frames of one change: those that are all sent, and the state, of which only the last matters. Tasks are as they are
 * now, also where a fact changed them and a later one changed them again.
 */
export function compatFramesOf({ id, state, facts }: LoopChange): {
  once: CompatFrame[];
  state: CompatFrame | null;
} {
  if (state === null) return { once: [{ type: "LOOP_DELETED", loop_id: id }], state: null };
  const once = facts.flatMap((fact) => frameOf(id, state, fact) ?? []);
  const other = facts.some(({ event }) => !event.type.startsWith("task"));
  const { status, updated_at } = state;
  const frame = { type: "LOOP_STATE_UPDATE", loop_id: id, status, updated_at };
  return { once, state: other ? frame : null };
}

function frameOf(id: string, state: LoopState, { event }: RecordedEvent): CompatFrame | null {
  switch (event.type) {
    case "task.added":
      return taskFrame("TASK_ADDED", id, state, event.task.id);
    case "task.edited":
      return taskFrame("TASK_UPDATED", id, state, event.task_id);
    case "task.removed":
      return { type: "TASK_DELETED", loop_id: id, task_id: event.task_id };
    case "tasks.reordered": {
      const tasks = taskLines(state);
      const ordered_task_ids = tasks.map(({ task_id }) => task_id);
      return { type: "TASK_REORDERED", loop_id: id, ordered_task_ids, tasks };
    }
    case "action.completed":
    case "action.failed":
      return {
        type: "LOOP_STEP_COMPLETED",
        loop_id: id,
        step_id: event.action,
        exit_code: event.type === "action.completed" ? 0 : 1,
        duration_ms: event.active_ms,
        output: event.message,
      };
    case "loop.completed":
    case "loop.failed":
      return {
        type: "LOOP_COMPLETED",
        loop_id: id,
        final_status: event.type === "loop.completed" ? "completed" : "failed",
        total_iterations: state.current_iteration,
        reason: event.outcome.message,
        timestamp: event.at,
      };
    default:
      return null;
  }
}

/** Null for a task that is gone by now. */
function taskFrame(
  type: "TASK_ADDED" | "TASK_UPDATED",
  id: string,
  state: LoopState,
  task_id: string,
): CompatFrame | null {
  const task = taskLines(state).find((line) => line.task_id === task_id);
  return task ? { type, loop_id: id, task_id, task } : null;
}

function taskLines(state: LoopState): TaskLine[] {
  return tasksOf(state).map(taskLine);
}
