import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  isLoopError,
  type LoopEvent,
  LoopState,
  type LoopStore,
  type RecordedEvent,
} from "@ccw-loop/core";

export const AT = "2026-01-22T10:00:00.000Z";
export const BY = { actor: "test" };

export function newLoop(loop_id: string, more: Record<string, unknown> = {}): LoopState {
  return LoopState.parse({
    loop_id,
    title: `Title of ${loop_id}`,
    status: "created",
    created_at: AT,
    updated_at: AT,
    ...more,
  });
}

export const started: LoopEvent = { type: "loop.started", at: AT };
export const paused: LoopEvent = { type: "loop.paused", at: AT };
export const noted = (notes: string): LoopEvent => ({
  type: "loop.edited",
  at: AT,
  changes: { notes },
});
export const initialized = (...tasks: string[]): LoopEvent => ({
  type: "action.completed",
  at: AT,
  action: "INIT",
  active_ms: 1,
  message: "",
  output: { action: "INIT", mode: "auto", tasks: tasks.map((id) => task(id)) },
});
/** A task that is done. */
export const developed = (
  task_id: string,
  summary: string,
  ...files_changed: string[]
): LoopEvent => ({
  type: "action.completed",
  at: AT,
  action: "DEVELOP",
  active_ms: 5,
  message: "",
  output: { action: "DEVELOP", task_id, summary, files_changed },
});
export const taskAdded = (id: string): LoopEvent => ({
  type: "task.added",
  at: AT,
  task: task(id),
});

export function task(id: string) {
  return {
    id,
    description: `Do ${id}`,
    tool: "codex",
    mode: "write",
    status: "pending" as const,
    files_changed: [],
    created_at: AT,
    completed_at: null,
  };
}

export const loopFile = (root: string, name: string) => join(root, ".workflow", ".loop", name);
export const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** Appends to whatever is newest, as an operator does. */
export async function appendNewest(store: LoopStore, id: string, ...events: LoopEvent[]) {
  for (;;) {
    const { revision } = await store.read(id);
    try {
      return await store.append(id, revision, events, BY);
    } catch (error) {
      if (!isLoopError(error, "revision_conflict")) throw error;
    }
  }
}

export async function eventsOf(store: LoopStore, id: string): Promise<RecordedEvent[]> {
  return Array.fromAsync(store.events(id));
}

/** The code of the LoopError that `work` rejects with; `none` when it does not. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "none",
    (error: unknown) => (isLoopError(error) ? error.code : String(error)),
  );
}

/** Every file below a folder with its text, by relative path. */
export function filesBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
