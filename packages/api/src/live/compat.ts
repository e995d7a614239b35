import {
  type LoopState,
  type RecordedEvent,
  type TaskLine,
  taskLine,
  tasksOf,
} from "@ccw-loop/core";
import type { Live } from "./live.ts";
import type { LoopChange } from "./project-feed.ts";

/** Characters that may wait for a consumer; one that is further behind is let go. */
const BACKLOG = 1024 * 1024;

export interface CompatOptions {
  signal: AbortSignal;
  /** Only this loop. */
  loop?: string | undefined;
}

/**
 * Upstream's frames as JSON, until `signal` aborts: of what happens after it resolved, whether or not somebody reads
 * already. States of a loop come a second apart or more, and the last one always comes. They end by themselves when
 * their consumer falls far behind, and when there is nothing more to follow.
 */
export async function compatFrames(
  live: Live,
  { signal, loop }: CompatOptions,
): Promise<AsyncIterable<string>> {
  const { clock } = live;
  const pace = new StateThrottle<CompatFrame>();
  let queue: string[] = [];
  let waiting = 0;
  let over = signal.aborted;
  let wake = () => {};

  function put(frame: CompatFrame): void {
    const json = JSON.stringify(frame);
    queue.push(json);
    waiting += json.length;
    if (waiting > BACKLOG) over = true;
  }

  function changed(change: LoopChange): void {
    if (over || (loop !== undefined && change.id !== loop)) return;
    const { once, state } = compatFramesOf(change);
    once.forEach(put);
    if (change.state === null) pace.forget(change.id);
    if (state && pace.offer(change.id, state, clock.monotonic())) put(state);
    wake();
  }

  const end = () => {
    over = true;
    wake();
  };
  signal.addEventListener("abort", end, { once: true });
  const leave = over ? () => {} : await live.follow(changed, end);

  async function* frames(): AsyncGenerator<string> {
    try {
      while (!over) {
        pace.due(clock.monotonic()).forEach(put);
        const batch = queue;
        queue = [];
        waiting = 0;
        yield* batch;
        if (queue.length === 0 && !over) await somethingToSend();
      }
    } finally {
      signal.removeEventListener("abort", end);
      leave();
    }
  }

  async function somethingToSend(): Promise<void> {
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const due = pace.next();
    const later = due === null ? [] : [clock.sleep(due - clock.monotonic(), timer.signal)];
    await Promise.race([woken, ...later]);
    timer.abort();
  }

  return frames();
}

/** A message of upstream's `/ws`, with its names and in its order of fields. */
export interface CompatFrame {
  type:
    | "LOOP_STATE_UPDATE"
    | "LOOP_DELETED"
    | "LOOP_STEP_COMPLETED"
    | "LOOP_COMPLETED"
    | "TASK_ADDED"
    | "TASK_UPDATED"
    | "TASK_DELETED"
    | "TASK_REORDERED";
  loop_id: string;
  [field: string]: unknown;
}

/** The frames of one change: those that are all sent, and the state, of which only the last matters. */
export interface CompatFrames {
  once: CompatFrame[];
  state: CompatFrame | null;
}

/** Tasks as they are now, also where a fact changed them and a later one changed them again. */
export function compatFramesOf({ id, state, facts }: LoopChange): CompatFrames {
  if (state === null) return { once: [{ type: "LOOP_DELETED", loop_id: id }], state: null };
  const once = facts.flatMap((fact) => frameOf(id, state, fact) ?? []);
  const other = facts.some(({ event }) => !event.type.startsWith("task"));
  return { once, state: other ? stateFrame(id, state) : null };
}

function stateFrame(id: string, { status, updated_at }: LoopState): CompatFrame {
  return { type: "LOOP_STATE_UPDATE", loop_id: id, status, updated_at };
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

/** Between two states of one loop. */
const APART_MS = 1000;

/**
 * Lets the first state of a loop through at once and then at most one in a second: the newest, so that the last one
 * always comes. Times are milliseconds of one clock.
 */
export class StateThrottle<T> {
  readonly #loops = new Map<string, { free: number; waiting: T | undefined }>();

  /** Takes a state; true when it is to be sent now, else `due` gives it later. */
  offer(loop: string, state: T, now: number): boolean {
    const found = this.#loops.get(loop);
    if (found && (found.waiting !== undefined || now < found.free)) {
      found.waiting = state;
      return false;
    }
    this.#loops.set(loop, { free: now + APART_MS, waiting: undefined });
    return true;
  }

  /** What is to be sent now. */
  due(now: number): T[] {
    const states: T[] = [];
    for (const [loop, { free, waiting }] of this.#loops) {
      if (now < free) continue;
      this.#loops.delete(loop);
      if (waiting === undefined) continue;
      states.push(waiting);
      this.#loops.set(loop, { free: now + APART_MS, waiting: undefined });
    }
    return states;
  }

  /** When something is due; null while nothing waits. */
  next(): number | null {
    const times = [...this.#loops.values()].flatMap(({ free, waiting }) =>
      waiting === undefined ? [] : [free],
    );
    return times.length === 0 ? null : Math.min(...times);
  }

  forget(loop: string): void {
    this.#loops.delete(loop);
  }
}
