import { basename, join } from "node:path";
import {
  DevelopTask,
  isLoopError,
  isPlain,
  LoopId,
  type LoopState,
  parseTaskLines,
  readLoopState,
  restoreState,
  tasksOf,
  tryParseJson,
  withTasks,
} from "@ccw-loop/core";
import { isNoPlainFile, MAX_FILE_BYTES } from "@ccw-loop/processes/plain-file";
import type { StoreContext } from "../context.ts";
import type { Disk } from "../fs/disk.ts";
import { damaged } from "../fs/errors.ts";
import { readFileUntilComplete } from "../fs/read-until-complete.ts";
import { lastJournalRevision } from "../journal/journal.ts";
import { type LoopPaths, partOf } from "../paths.ts";
import { pausedUnproven, pausedWithCommands } from "../repair/lost-history.ts";

/** Files beside the loops that are none, even when they cannot be read. */
const NO_LOOPS = new Set(["prep-package"]);
const MARKS = ["loop_id", "session_id", "skill_state", "task_description"];

/** A loop that has no history: another tool's, or one of ours that lost it. */
export interface LegacyLoop {
  source: Source;
  /** What the state file holds. */
  text: string;
  raw: object;
  /** What its files bring, with the tasks from wherever they lie: no proof, and paused when it lost its history or brings commands. */
  state: LoopState;
  /** The dotted paths of what its files say and no file can. */
  refused: string[];
  /** The newest revision that they name; 0 for a loop of another tool. */
  highestRevisionNamed: number;
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
  const highestRevisionNamed = Math.max(
    whole.revision ?? 0,
    lastJournalRevision(context.disk, paths.journal),
  );
  return {
    source,
    text,
    raw,
    state: highestRevisionNamed > 0 ? pausedUnproven(value) : pausedWithCommands(value),
    refused,
    highestRevisionNamed,
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
  if (!isPlain(raw)) return false;
  return MARKS.some((mark) => mark in raw) || ("status" in raw && "title" in raw);
}

export function addTasks(state: LoopState, tasks: readonly DevelopTask[]): LoopState {
  const known = new Set(tasksOf(state).map((task) => task.id));
  const fresh = tasks.filter((task) => !known.has(task.id));
  return fresh.length > 0 ? withTasks(state, [...tasksOf(state), ...fresh]) : state;
}

/** Where the files of a loop lie that has no history of ours yet. */
export interface Source {
  state: string;
  /** True for a state file where our own are. */
  isOurPlace: boolean;
  /** Written when the loop was begun; says what an old state file may leave out. */
  meta: string | null;
  /** Task lists, one task per line. */
  taskLines: string[];
  /** A folder with one task per file. */
  taskFolder: string;
  /** The folder with its documents. */
  documents: string;
  /** What is renamed once it was taken over, so that nobody takes it for the loop any more. */
  migratedPaths: string[];
}

/** The first of: our own place, `.loop/{id}.json`, `.workflow/.loop/{id}/state.json`; null when none is there. */
export function findSource(context: StoreContext, paths: LoopPaths): Source | null {
  const { disk, project } = context;
  const isFile = (path: string) => disk.info(path)?.kind === "file";
  const { id } = paths;
  const session = join(paths.folder, id);
  const oldest = join(project.oldest, id);
  const shared = {
    isOurPlace: false,
    meta: null,
    taskLines: [join(session, "tasks.jsonl")],
    taskFolder: join(session, ".task"),
    migratedPaths: [join(session, "tasks.jsonl"), join(session, ".task")],
  };
  if (disk.info(paths.document)) {
    return {
      ...shared,
      isOurPlace: true,
      state: paths.document,
      taskLines: [paths.tasks, ...shared.taskLines],
      documents: paths.progress,
    };
  }
  if (disk.info(project.oldest)?.kind === "folder" && isFile(`${oldest}.json`)) {
    const lines = [`${oldest}.tasks.jsonl`, join(oldest, "tasks.jsonl")];
    return {
      ...shared,
      taskFolder: join(oldest, ".task"),
      state: `${oldest}.json`,
      taskLines: lines,
      documents: `${oldest}.progress`,
      migratedPaths: [`${oldest}.json`, ...lines],
    };
  }
  if (isSessionFolder(context, paths)) {
    const state = join(session, "state.json");
    return {
      ...shared,
      state,
      meta: join(session, "meta.json"),
      documents: session,
      migratedPaths: [state, ...shared.migratedPaths],
    };
  }
  return null;
}

/** The text of a file that may be left out; null when there is none, or something else stands in its place. */
export function plainText(disk: Disk, path: string): string | null {
  try {
    return disk.read(path);
  } catch (error) {
    if (isNoPlainFile(error)) return null;
    throw error;
  }
}

/** Whether what stands at one of its paths is what is read there. */
export function isPlainSource(disk: Disk, path: string, { taskFolder }: Source): boolean {
  const info = disk.info(path);
  if (path === taskFolder) return info?.kind === "folder";
  return info?.kind === "file" && info.size <= MAX_FILE_BYTES;
}

/** The ids of loops that lie in older places. */
export async function legacyIds(context: StoreContext, folder: string): Promise<string[]> {
  const { disk, project } = context;
  const oldest =
    disk.info(project.oldest)?.kind === "folder" ? await disk.listLarge(project.oldest) : [];
  // No id begins with a dot: what does is our own, and may belong to another user who works here.
  const visible = (await disk.listLarge(folder)).filter((name) => !name.startsWith("."));
  const sessions = visible.filter(
    (name) => partOf(name) === null && isSessionFolder(context, { id: name, folder }),
  );
  const names = oldest.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
  return [...sessions, ...names].filter((id) => LoopId.safeParse(id).success);
}

/** A folder named like the loop that holds its state; folders of other loops' parts are none. */
function isSessionFolder(
  { disk }: StoreContext,
  { id, folder }: Pick<LoopPaths, "id" | "folder">,
): boolean {
  if (disk.info(join(folder, id))?.kind !== "folder") return false;
  return disk.info(join(folder, id, "state.json"))?.kind === "file";
}

/** The tasks of all older task lists, each id once, in the order they were found. */
export function legacyTasks({ disk }: StoreContext, source: Source): DevelopTask[] {
  const { taskLines, taskFolder } = source;
  const fromLines = taskLines.flatMap((path) => parseTaskLines(plainText(disk, path) ?? "").tasks);
  const files = isPlainSource(disk, taskFolder, source) ? disk.list(taskFolder).sort() : [];
  const fromFiles = files
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => taskIn(plainText(disk, join(taskFolder, name)) ?? ""));
  return [...new Map([...fromLines, ...fromFiles].map((task) => [task.id, task])).values()];
}

/** One task file: `id`, `title` and `description`, and fields of its own that are kept. */
function taskIn(text: string): DevelopTask[] {
  const raw: Record<string, unknown> = Object(tryParseJson(text));
  const { title, description } = raw;
  const said = [title, description].filter((part) => typeof part === "string" && part !== "");
  const parsed = DevelopTask.safeParse({ ...raw, description: said.join(": ") });
  return parsed.success && said.length > 0 ? [parsed.data] : [];
}
