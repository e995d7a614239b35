import { join } from "node:path";
import type { OpenLoop, StoreContext } from "../context.ts";
import { temporary } from "../paths.ts";
import { LEGACY_FOLDER, progressFolder } from "../publish/views.ts";
import { isPlainSource, type Source } from "./sources.ts";

const DEEPEST = 4;
const BATCH = 32;

/**
 * Copies what another tool wrote about a loop into `{progress}/older/`, because our own documents take the
 * same names. What is there already is left alone, so this can be done again.
 */
export async function keepDocuments(
  context: StoreContext,
  loop: OpenLoop,
  source: Source,
): Promise<void> {
  const { disk, machine } = context;
  const { progress } = loop.paths;
  const target = join(progress, LEGACY_FOLDER);
  const lists = source.taskLines.filter((path) => isPlainSource(disk, path, source));
  let copied = 0;
  const hasDocuments = disk.info(source.documents)?.kind === "folder";
  if (!hasDocuments && lists.length === 0) return;
  progressFolder(context, progress);
  progressFolder(context, target);
  for (const path of lists) keep(path, join(target, "tasks.jsonl"));
  if (hasDocuments) await keepTree(source.documents, target, 0);

  async function keepTree(from: string, to: string, depth: number): Promise<void> {
    for (const name of await disk.listLarge(from)) {
      const path = join(from, name);
      if (name === LEGACY_FOLDER || path === source.state) continue;
      if (isPlainSource(disk, path, source)) keep(path, join(to, name));
      else if (disk.info(path)?.kind === "folder" && depth < DEEPEST) {
        progressFolder(context, join(to, name));
        await keepTree(path, join(to, name), depth + 1);
      } else context.warn(loop.paths.id, `${path} is left where it is: it cannot be copied.`);
      if (++copied % BATCH === 0) await machine.turn();
    }
  }

  function keep(from: string, to: string): void {
    if (disk.info(to)) return;
    const draft = temporary(loop.paths.history);
    disk.copy(from, draft);
    disk.setMode(draft, 0o600);
    disk.rename(draft, to);
  }
}
