import { join } from "node:path";
import { type Context, forget, type OpenLoop } from "../context.ts";
import { moveAside } from "../disk/move-aside.ts";
import { makeProject } from "../folders.ts";
import { isTemporary, temporary } from "../paths.ts";

const ABANDONED_MS = 60_000;

/**
 * Removes everything that belongs to the loop. Its document is moved into its history, which is then renamed
 * away in one step: before that step a crash leaves a whole loop, after it none.
 */
export async function removeLoop(context: Context, loop: OpenLoop): Promise<void> {
  const { disk, machine, project } = context;
  const { id, folder, history, document, journal, tasks, progress } = loop.paths;
  await makeProject(context);
  disk.makeFolder(history);
  if (disk.info(document)) disk.rename(document, temporary(history));
  const trash = temporary(folder);
  disk.rename(history, trash);
  await disk.syncFolder(folder);
  forget(loop);
  const names = await disk.listLarge(folder);
  const old = machine.wall() - ABANDONED_MS;
  const abandoned = names
    .filter(isTemporary)
    .map((name) => join(folder, name))
    .filter((path) => (disk.info(path)?.modified ?? old) < old);
  const aside = names.filter((name) => isKeptAside(name, id)).map((name) => join(folder, name));
  const session = /\.(history|progress)$/.test(id) ? [] : [join(folder, id)];
  const oldest =
    disk.info(project.oldest)?.kind === "folder"
      ? [".json", ".json.migrated", ".tasks.jsonl", ".tasks.jsonl.migrated", ".progress", ""].map(
          (end) => join(project.oldest, `${id}${end}`),
        )
      : [];
  const own = [trash, journal, tasks, progress];
  for (const path of [...own, ...aside, ...session, ...oldest, ...abandoned]) {
    await disk.removeTree(path);
  }
  await disk.syncFolder(folder);
}

/** What was kept beside the files of this loop, and no file of another one. */
function isKeptAside(name: string, id: string): boolean {
  if (!name.startsWith(`${id}.`)) return false;
  return /^(json|tasks\.jsonl|journal\.jsonl|progress|history)\.(rejected|conflict|damaged)-\d+(-\d+)?$/.test(
    name.slice(id.length + 1),
  );
}

/** Puts aside what is left of a loop of that name that is no more, so that a new one begins clean. */
export function clearLeftovers({ disk }: Context, { paths }: OpenLoop): void {
  for (const path of [paths.journal, paths.tasks, paths.progress]) {
    if (disk.info(path)) moveAside(disk, path);
  }
}
