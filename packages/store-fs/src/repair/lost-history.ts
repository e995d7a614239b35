import { basename, join } from "node:path";
import { LoopError, type LoopState, PROGRESS_FILES, taskCommand, tasksOf } from "@ccw-loop/core";
import { isNearTheEnd } from "../commit/revision-names.ts";
import type { StoreContext } from "../context.ts";
import type { LoopPaths } from "../paths.ts";

/** The state of a loop that lost its history: a person looks at it before it goes on. */
export function pausedUnproven(state: LoopState): LoopState {
  if (state.status === "created") return state;
  const { outcome: _, completed_at: __, failure_reason: ___, waiting: ____, ...open } = state;
  return { ...open, status: "paused" };
}

/** A loop that comes from files alone: one that would have commands run by itself waits until a person has seen them. */
export function pausedWithCommands(state: LoopState): LoopState {
  return state.status === "running" && hasCommands(state) ? pausedUnproven(state) : state;
}

/** What to say of a loop that comes from files alone and brings commands; null where it brings none. */
export function commandsText(state: LoopState): string | null {
  if (!hasCommands(state)) return null;
  const { loop_id: id, status } = state;
  return `Loop ${id} comes from files that give it commands to run; its status is ${status}. See them, before it runs, with: ccw-loop resume ${id} --dry-run`;
}

function hasCommands(state: LoopState): boolean {
  return tasksOf(state).some((task) => taskCommand(task) !== null);
}

/** What a file said and what no file can say, as a sentence. */
export function refusedText(refused: readonly string[]): string {
  return `Not taken over, because only a run by ccw-loop can know it: ${refused.join(", ")}.`;
}

/** The revision after the newest that files name. */
export function revisionAfter(revision: number): number {
  return isNearTheEnd(revision) ? 1 : revision + 1;
}

/** The refusal of a loop of which neither a state file nor a history is left; null when nothing at all is. */
export function leftoverError({ disk }: StoreContext, paths: LoopPaths): LoopError | null {
  const { id, journal, tasks, progress } = paths;
  const hasDocuments =
    disk.info(progress)?.kind === "folder" &&
    PROGRESS_FILES.some((name) => disk.info(join(progress, name)) !== null);
  const files = [journal, tasks].filter((path) => disk.info(path) !== null);
  const left = [...files, ...(hasDocuments ? [progress] : [])].map((path) => basename(path));
  if (left.length === 0) return null;
  return new LoopError(
    "loop_not_found",
    `The state file and the history of loop ${id} are gone; left: ${left.join(", ")}. See what can be saved with: ccw-loop recover ${id}`,
  );
}
