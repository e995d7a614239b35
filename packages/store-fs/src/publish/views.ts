import { join } from "node:path";
import { type LoopState, renderProgress, renderTaskLines } from "@ccw-loop/core";
import { type Context, identityOf, type OpenLoop } from "../context.ts";
import { unsafePath } from "../disk/errors.ts";
import { temporary } from "../paths.ts";

/**
 * Writes the task list, when it is another one than before. A file that somebody wrote since it was last
 * looked at is left for the next reader, who takes in what is new there.
 */
export function publishTasks(context: Context, loop: OpenLoop, state: LoopState): void {
  const { disk } = context;
  const { tasks: path } = loop.paths;
  if (identityOf(disk, path) !== (loop.tasks?.file ?? null)) return;
  const text = renderTaskLines(state);
  if (text === (loop.tasks?.text ?? "")) return;
  put(context, loop, path, text);
  const file = identityOf(disk, path);
  loop.tasks = file === null ? null : { file, text };
}

/** Writes the progress documents that have to be written again. */
export function publishProgress(context: Context, loop: OpenLoop, state: LoopState): void {
  const { disk } = context;
  const { progress } = loop.paths;
  const touched = loop.touched;
  if (touched?.size === 0) return;
  const documents = Object.entries(renderProgress(state));
  if (documents.length > 0) progressFolder(context, progress);
  for (const [name, text] of documents) {
    if (touched && !touched.has(name)) continue;
    const path = join(progress, name);
    if (text !== disk.read(path)) put(context, loop, path, text);
  }
  loop.touched = new Set();
}

/** Makes the folder; refuses one that leads elsewhere. */
export function progressFolder({ disk }: Context, path: string): void {
  if (disk.makeFolder(path)) return;
  const info = disk.info(path);
  if (info?.kind !== "folder") throw unsafePath(path, "is not a plain folder");
  if (info.mode & 0o077) disk.setMode(path, 0o700);
}

function put({ disk }: Context, loop: OpenLoop, path: string, text: string): void {
  const draft = temporary(loop.paths.history);
  try {
    disk.write(draft, text);
    disk.rename(draft, path);
  } catch (error) {
    disk.remove(draft);
    throw error;
  }
}
