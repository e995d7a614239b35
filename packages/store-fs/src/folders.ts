import { join } from "node:path";
import { epochFolder } from "./commits/revision-names.ts";
import type { Context, OpenLoop } from "./context.ts";
import { unsafePath } from "./disk/errors.ts";
import type { LoopPaths } from "./paths.ts";

const ALONE = 0o700;

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

/** Makes the folder of a loop's commits, and in it the one that stands for its first epoch. */
export async function makeHistory({ disk }: Context, paths: LoopPaths): Promise<void> {
  disk.makeFolder(paths.history);
  const epochs = disk.list(paths.history).filter((name) => name.startsWith("epoch-"));
  if (epochs.length === 0) disk.makeFolder(epochFolder(paths.history, 0));
  await disk.syncFolder(paths.folder);
}

/** Refuses a loop one of whose files is a link or anything else but a file; closes what others may read. */
export function checkLoop({ disk }: Context, { paths }: OpenLoop): void {
  for (const path of [paths.document, paths.journal, paths.tasks]) {
    const info = disk.info(path);
    if (!info) continue;
    if (info.kind !== "file") throw unsafePath(path, "is not a plain file");
    if (info.mode & 0o077) disk.setMode(path, 0o600);
  }
  for (const path of [paths.history, paths.progress]) {
    const info = disk.info(path);
    if (!info) continue;
    requireFolder(path, info.kind);
    if (info.mode & 0o077) disk.setMode(path, ALONE);
  }
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
