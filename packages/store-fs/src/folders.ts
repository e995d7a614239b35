import { join } from "node:path";
import { epochFolder, epochsIn } from "./commits/revision-names.ts";
import type { Context, OpenLoop } from "./context.ts";
import { misplaced, storeError, unsafePath } from "./disk/errors.ts";
import { codeOf } from "./disk/node-errors.ts";
import type { LoopPaths } from "./paths.ts";

const ALONE = 0o700;
const IN_THE_WAY = new Set(["ELOOP", "EISDIR", "ENOTDIR", "ENOTEMPTY", "ENXIO"]);

/**
 * Refuses a project whose loops somebody else could lead elsewhere or write to: a symbolic link, a folder of
 * another user, a folder that everybody may write to. A project without loops is fine.
 */
export function checkProject({ disk, project }: Context): void {
  const workflow = disk.info(project.workflow);
  if (!workflow) return;
  requireFolder(project.workflow, workflow.kind);
  requireOurs(project.workflow, workflow.owner, () => disk.info(project.root)?.owner);
  if (workflow.mode & 0o002) throw unsafePath(project.workflow, "can be written by every user");
  const loops = disk.info(project.loops);
  if (!loops) return;
  requireFolder(project.loops, loops.kind);
  requireOurs(project.loops, loops.owner, () => workflow.owner);
  if (loops.mode & 0o077) disk.setMode(project.loops, ALONE);
}

/** Makes the folder of the loops, durably; git is told to ignore what is in it. */
export async function makeProject({ disk, project }: Context): Promise<void> {
  if (disk.info(project.loops)) return;
  disk.makeFolder(project.workflow);
  disk.makeFolder(project.loops);
  const ignore = join(project.loops, ".gitignore");
  if (!disk.info(ignore)) disk.write(ignore, "*\n");
  await disk.syncFolder(project.workflow);
  await disk.syncFolder(project.root);
}

/** Makes the folder of a loop's commits, and in it the one that stands for its first epoch when it has none. */
export async function makeHistory(
  { disk }: Context,
  paths: LoopPaths,
  firstEpoch: number,
): Promise<void> {
  disk.makeFolder(paths.history);
  if (epochsIn(disk.list(paths.history)).length === 0) {
    disk.makeFolder(epochFolder(paths.history, firstEpoch));
  }
  await disk.syncFolder(paths.folder);
}

/** An epoch above every one that a loop had whose epoch is lost: no claim takes a whole second. */
export function laterEpoch({ machine }: Context): number {
  return Math.floor(machine.wall() / 1000);
}

/** Refuses a loop one of whose files is a link or anything else but a file; closes what others may read. */
export function checkLoop({ disk }: Context, { paths }: OpenLoop): void {
  for (const path of [paths.document, paths.journal, paths.tasks]) {
    const info = disk.info(path);
    if (!info) continue;
    if (info.kind !== "file") throw misplaced(paths.id, path);
    if (info.mode & 0o077) disk.setMode(path, 0o600);
  }
  for (const path of [paths.history, paths.progress]) {
    const info = disk.info(path);
    if (!info) continue;
    if (info.kind !== "folder") throw misplaced(paths.id, path);
    if (info.mode & 0o077) disk.setMode(path, ALONE);
  }
}

/**
 * What failed while a loop was worked with, as what the caller may do about it: the system only says that
 * something stands in the way, and this says where.
 */
export function failureOf(context: Context, loop: OpenLoop, error: unknown): unknown {
  if (IN_THE_WAY.has(codeOf(error))) {
    try {
      checkLoop(context, loop);
    } catch (refusal) {
      return refusal;
    }
  }
  return storeError(error, loop.paths.id);
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
