import { join } from "node:path";
import { PROGRESS_FILES, systemCode } from "@ccw-loop/core";
import { isNoPlainFile, MAX_FILE_BYTES } from "@ccw-loop/processes/plain-file";
import { epochFolder, epochsIn } from "./commit/revision-names.ts";
import type { OpenLoop, StoreContext } from "./context.ts";
import type { Disk, FileInfo } from "./fs/disk.ts";
import { misplaced, storeError, unsafePath } from "./fs/errors.ts";
import { rotated } from "./log.ts";
import type { LoopPaths } from "./paths.ts";

const ALONE = 0o700;
const IN_THE_WAY = new Set(["ENOTDIR", "ENOTEMPTY"]);

/**
 * Refuses a project whose loops somebody else could lead elsewhere or write to: a symbolic link, a folder of
 * another user, a folder that everybody may write to. A project without loops is fine. Answers what the folder of the
 * loops is.
 */
export function checkProject({ disk, project }: StoreContext): FileInfo | null {
  const workflow = disk.info(project.workflow);
  if (!workflow) return null;
  requireFolder(project.workflow, workflow.kind);
  requireOurs(project.workflow, workflow.owner, () => disk.info(project.root)?.owner);
  if (workflow.mode & 0o002) throw unsafePath(project.workflow, "can be written by every user");
  const loops = disk.info(project.loops);
  if (!loops) return null;
  requireFolder(project.loops, loops.kind);
  requireOurs(project.loops, loops.owner, () => workflow.owner);
  return loops;
}

/** The same; and closes the folder of the loops, where others may enter it. */
export function enterProject(context: StoreContext): void {
  const loops = checkProject(context);
  if (loops && loops.mode & 0o077) context.disk.setMode(context.project.loops, ALONE);
}

/** Makes the folder of the loops, durably; git is told to ignore what is in it. */
export async function makeProject({ disk, project }: StoreContext): Promise<void> {
  if (disk.info(project.loops)) return;
  disk.makeFolder(project.workflow);
  disk.makeFolder(project.loops);
  const ignore = join(project.loops, ".gitignore");
  if (!disk.info(ignore)) disk.write(ignore, "*\n");
  await disk.syncFolder(project.workflow);
  await disk.syncFolder(project.root);
}

/**
 * Makes the folder of a loop's commits, and in it the one that stands for its first epoch when it has none. Its own name is
 * on the disk once the folder of the loops is synced.
 */
export function makeHistory({ disk }: StoreContext, paths: LoopPaths, firstEpoch: number): void {
  const isNew = disk.makeFolder(paths.history);
  if (isNew || epochsIn(disk.list(paths.history)).length === 0) {
    disk.makeFolder(epochFolder(paths.history, firstEpoch));
  }
}

/** An epoch above every one that a loop had whose epoch is lost: no claim takes a whole second. */
export function laterEpoch({ runtime }: StoreContext): number {
  return Math.floor(runtime.wall() / 1000);
}

/** A path of a loop, and what is there. */
interface Place {
  path: string;
  info: FileInfo;
}

/** What a path should be: a file that is read at once, one that is read piece by piece and may have any size, a folder. */
type Wanted = "file" | "log" | "folder";

/** Refuses a loop where something else stands than should; closes what others may read. */
export function checkLoop({ disk }: StoreContext, { paths }: OpenLoop): void {
  for (const { path, info, fits } of placesOf(disk, ownPlaces(paths))) {
    if (!fits) throw misplaced(paths.id, path, info);
    if (info.mode & 0o077) disk.setMode(path, info.kind === "file" ? 0o600 : ALONE);
  }
}

/** Where in a loop something else stands: a link, a folder for a file, a file for a folder, a pipe, too large a file. */
export function misplacedIn({ disk }: StoreContext, paths: LoopPaths): Place[] {
  const own = placesOf(disk, ownPlaces(paths)).filter(({ fits }) => !fits);
  if (own.some(({ path }) => path === paths.progress)) return own;
  const log = join(paths.progress, "agent.log");
  const inside = placesOf(disk, [
    ...PROGRESS_FILES.map((name) => [join(paths.progress, name), "file"] as const),
    [log, "log"],
    [rotated(log), "log"],
  ]);
  return [...own, ...inside.filter(({ fits }) => !fits)];
}

function ownPlaces({ document, journal, tasks, history, progress }: LoopPaths) {
  return [
    [document, "file"],
    [journal, "log"],
    [tasks, "file"],
    [history, "folder"],
    [progress, "folder"],
  ] as const;
}

function placesOf(disk: Disk, wanted: readonly (readonly [string, Wanted])[]) {
  return wanted.flatMap(([path, what]) => {
    const info = disk.info(path);
    if (!info) return [];
    const fits = info.kind === (what === "folder" ? "folder" : "file");
    return [{ path, info, fits: fits && (what !== "file" || info.size <= MAX_FILE_BYTES) }];
  });
}

/**
 * What failed while a loop was worked with, as what the caller may do about it: the system only says that
 * something stands in the way, and this says where.
 */
export function failureOf(context: StoreContext, { paths }: OpenLoop, error: unknown): unknown {
  if (IN_THE_WAY.has(systemCode(error)) || isNoPlainFile(error)) {
    const [first] = misplacedIn(context, paths);
    if (first) return misplaced(paths.id, first.path, first.info);
  }
  return storeError(error, paths.id);
}

function requireFolder(path: string, kind: string): void {
  if (kind !== "folder") {
    throw unsafePath(path, kind === "link" ? "is a symbolic link" : "is not a folder");
  }
}

/** Ours, or, for root, of the user whose project it is. */
function requireOurs(path: string, owner: number, project: () => number | undefined): void {
  const me = process.getuid?.();
  if (me === undefined || owner === me || (me === 0 && owner === project())) return;
  throw unsafePath(path, "belongs to another user");
}
