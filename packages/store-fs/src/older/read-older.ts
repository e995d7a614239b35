import { basename } from "node:path";
import {
  type DevelopTask,
  isLoopError,
  type LoopState,
  readLoopState,
  restoreState,
  tasksOf,
  tryParseJson,
  withTasks,
} from "@ccw-loop/core";
import { isNoPlainFile } from "@ccw-loop/processes/plain-file";
import { newestTold } from "../commits/journal-end.ts";
import type { StoreContext } from "../context.ts";
import { damaged } from "../disk/errors.ts";
import type { LoopPaths } from "../paths.ts";
import { readFileUntilComplete } from "../publish/whole.ts";
import { pausedUnproven } from "../recovery/unproven.ts";
import { findSource, plainText, type Source } from "./sources.ts";
import { legacyTasks } from "./tasks.ts";

/** Files beside the loops that are none, even when they cannot be read. */
const NO_LOOPS = new Set(["prep-package"]);
const MARKS = ["loop_id", "session_id", "skill_state", "task_description"];

/** A loop that has no history: another tool's, or one of ours that lost it. */
export interface LegacyLoop {
  source: Source;
  /** What the state file holds. */
  text: string;
  raw: object;
  /** What its files bring, with the tasks from wherever they lie: no proof, and paused when it lost its history. */
  state: LoopState;
  /** The dotted paths of what its files say and no file can. */
  refused: string[];
  /** The newest revision that they name; 0 for a loop of another tool. */
  newestNamed: number;
}

/**
 * The loop under that id that has no history, in any layout; null when there is none. Writes nothing. Throws
 * `store_corrupt` when its state cannot be read.
 */
export async function readLegacy(
  context: StoreContext,
  paths: LoopPaths,
): Promise<LegacyLoop | null> {
  const source = NO_LOOPS.has(paths.id) ? null : findSource(context, paths);
  if (!source) return null;
  const { text } = await readFileUntilComplete(context, source.state).catch((error: unknown) => {
    const isElsewhere = isNoPlainFile(error) && !source.isOurPlace;
    throw isElsewhere ? invalidStateError(paths.id, source, "it is too large") : error;
  });
  const raw = tryParseJson(text);
  if (raw === undefined)
    throw invalidStateError(paths.id, source, "it is no JSON, or nested too deep");
  if (!isLoop(raw)) return null;
  const meta = Object(tryParseJson(source.meta && plainText(context.disk, source.meta)));
  const whole = stateOf({ ...meta, ...raw, loop_id: paths.id }, paths.id, source);
  const { value, refused } = restoreState(addTasks(whole, legacyTasks(context, source)));
  const told = Math.max(whole.revision ?? 0, newestTold(context.disk, paths.journal));
  return {
    source,
    text,
    raw,
    state: told > 0 ? pausedUnproven(value) : value,
    refused,
    newestNamed: told,
  };
}

function stateOf(raw: object, id: string, source: Source): LoopState {
  try {
    return readLoopState(raw);
  } catch (error) {
    if (!isLoopError(error, "store_corrupt")) throw error;
    const [problem] = Array.isArray(error.details.problems) ? error.details.problems : [];
    throw invalidStateError(id, source, String(problem));
  }
}

export function invalidStateError(id: string, { state, isOurPlace }: Source, why: string) {
  if (isOurPlace) return damaged(id, `${basename(state)} is no valid loop state: ${why}`);
  return damaged(id, `${state} is no valid loop state: ${why}`, {
    hint: `Correct that file, or remove the loop with: ccw-loop delete ${id}`,
  });
}

function isLoop(raw: unknown): raw is object {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return false;
  return MARKS.some((mark) => mark in raw) || ("status" in raw && "title" in raw);
}

function addTasks(state: LoopState, tasks: readonly DevelopTask[]): LoopState {
  const known = new Set(tasksOf(state).map((task) => task.id));
  const fresh = tasks.filter((task) => !known.has(task.id));
  return fresh.length > 0 ? withTasks(state, [...tasksOf(state), ...fresh]) : state;
}
