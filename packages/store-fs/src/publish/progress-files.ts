import { basename, join } from "node:path";
import { type LoopState, renderProgress, renderTaskLines } from "@ccw-loop/core";
import { backUp } from "../backups.ts";
import { identityOf, type OpenLoop, type StoreContext } from "../context.ts";
import { type Displaced, textOf } from "../fs/disk.ts";
import { unsafePath } from "../fs/errors.ts";
import { temporary } from "../paths.ts";

/** Where documents of other tools are kept, inside the progress folder. */
export const LEGACY_FOLDER = "older";

/**
 * Writes the task list, when it is another one than before. A file that somebody wrote since it was last
 * looked at is left for the next reader, who takes in what is new there.
 */
export function publishTasks(context: StoreContext, loop: OpenLoop, state: LoopState): void {
  const { disk } = context;
  const { tasks: path } = loop.paths;
  if (identityOf(disk, path) !== (loop.tasks?.file ?? null)) return;
  const text = renderTaskLines(state);
  if (text === (loop.tasks?.text ?? "")) return;
  const displaced = put(context, loop, path, text);
  if (displaced && displaced.file !== loop.tasks?.file) {
    // Somebody wrote it since: the next reader takes in what is new there.
    put(context, loop, path, displaced.bytes);
    return;
  }
  const file = identityOf(disk, path);
  loop.tasks = file === null ? null : { file, text };
}

/** Writes the progress documents that have to be written again. */
export function publishProgress(context: StoreContext, loop: OpenLoop, state: LoopState): void {
  const { disk } = context;
  const { progress } = loop.paths;
  const touched = loop.staleProgressFiles;
  if (touched?.size === 0) return;
  const all = touched === null || loop.documents.size === 0;
  const documents = Object.entries(renderProgress(state, (name) => all || touched.has(name)));
  if (documents.length > 0) progressFolder(context, progress);
  for (const [name, text] of documents) {
    const path = join(progress, name);
    if (text !== disk.read(path)) {
      const displaced = put(context, loop, path, text);
      if (displaced && displaced.file !== loop.documents.get(name)) {
        keepExternal(context, loop, name, displaced.bytes);
      }
    }
    const file = identityOf(disk, path);
    if (file !== null) loop.documents.set(name, file);
  }
  loop.staleProgressFiles = new Set();
}

/** Keeps what was in the place of a document aside, unless we wrote it for this revision or an earlier one. */
function keepExternal(context: StoreContext, loop: OpenLoop, name: string, bytes: Buffer): void {
  const { disk, history } = context;
  const { paths } = loop;
  const path = join(paths.progress, name);
  const there = textOf(bytes);
  if (there === "" || disk.read(join(paths.progress, LEGACY_FOLDER, name)) === there) return;
  const past = [...history.tryLoadAll(paths, history.recent(paths))];
  for (const { commit } of past.toReversed()) {
    if (renderProgress(commit.state, (one) => one === name)[name] === there) return;
  }
  const aside = basename(backUp(context, loop, path, "damaged", bytes));
  context.warn(
    paths.id,
    `${name} was not as it was written. It is written again; what stood there is kept as ${aside}.`,
  );
}

/** Makes the folder; refuses one that leads elsewhere. */
export function progressFolder({ disk }: StoreContext, path: string): void {
  if (disk.makeFolder(path)) return;
  const info = disk.info(path);
  if (info?.kind !== "folder") throw unsafePath(path, "is not a plain folder");
  if (info.mode & 0o077) disk.setMode(path, 0o700);
}

/** Puts a whole file in its place; hands over the one that was there. */
export function putInPlace(
  { disk }: StoreContext,
  { paths }: OpenLoop,
  path: string,
  content: string | Buffer,
): Displaced | null {
  const draft = temporary(paths.history);
  try {
    disk.write(draft, content);
    return disk.replace(draft, path);
  } catch (error) {
    disk.remove(draft);
    throw error;
  }
}

/** The same; answers with the bytes of the one that was there, and its identity. */
function put(
  context: StoreContext,
  loop: OpenLoop,
  path: string,
  content: string | Buffer,
): { file: string; bytes: Buffer } | null {
  const displaced = putInPlace(context, loop, path, content);
  if (!displaced) return null;
  try {
    const bytes = displaced.bytes();
    return { file: `${displaced.instance}-${bytes.length}`, bytes };
  } finally {
    displaced.close();
  }
}
