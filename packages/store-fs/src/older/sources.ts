import { join } from "node:path";
import { LoopId } from "@ccw-loop/core";
import { isNoPlainFile, MOST_BYTES } from "@ccw-loop/processes/plain-file";
import type { StoreContext } from "../context.ts";
import type { Disk } from "../disk/disk.ts";
import type { LoopPaths } from "../paths.ts";

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
  taskFolder: string | null;
  /** The folder with its documents. */
  documents: string;
  /** What is renamed once it was taken over, so that nobody takes it for the loop any more. */
  spent: string[];
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
    spent: [join(session, "tasks.jsonl"), join(session, ".task")],
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
      spent: [`${oldest}.json`, ...lines],
    };
  }
  if (isSessionFolder(context, paths)) {
    const state = join(session, "state.json");
    return {
      ...shared,
      state,
      meta: join(session, "meta.json"),
      documents: session,
      spent: [state, ...shared.spent],
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
  return info?.kind === "file" && info.size <= MOST_BYTES;
}

/** The ids of loops that lie in older places. */
export async function legacyIds(context: StoreContext, folder: string): Promise<string[]> {
  const { disk, project } = context;
  const oldest =
    disk.info(project.oldest)?.kind === "folder" ? await disk.listLarge(project.oldest) : [];
  // No id begins with a dot: what does is our own, and may belong to another user who works here.
  const visible = (await disk.listLarge(folder)).filter((name) => !name.startsWith("."));
  const sessions = visible.filter((name) => isSessionFolder(context, { id: name, folder }));
  const names = oldest.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
  return [...sessions, ...names].filter((id) => LoopId.safeParse(id).success);
}

/** A folder named like the loop that holds its state; folders of other loops' parts are none. */
function isSessionFolder(
  { disk }: StoreContext,
  { id, folder }: Pick<LoopPaths, "id" | "folder">,
): boolean {
  if (/\.(history|progress)$/.test(id) || disk.info(join(folder, id))?.kind !== "folder")
    return false;
  return disk.info(join(folder, id, "state.json"))?.kind === "file";
}
