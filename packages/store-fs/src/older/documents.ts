import { join } from "node:path";
import type { Context, OpenLoop } from "../context.ts";
import { temporary } from "../paths.ts";
import { OLDER, progressFolder } from "../publish/views.ts";
import type { Source } from "./sources.ts";

const DEEPEST = 4;

/**
 * Copies what another tool wrote about a loop into `{progress}/older/`, because our own documents take the
 * same names. What is there already is left alone, so this can be done again.
 */
export function keepDocuments(context: Context, loop: OpenLoop, source: Source): void {
  const { disk } = context;
  const { progress } = loop.paths;
  const target = join(progress, OLDER);
  const lists = source.taskLines.filter((path) => disk.info(path)?.kind === "file");
  const hasDocuments = disk.info(source.documents)?.kind === "folder";
  if (!hasDocuments && lists.length === 0) return;
  progressFolder(context, progress);
  progressFolder(context, target);
  for (const path of lists) keep(path, join(target, "tasks.jsonl"));
  if (hasDocuments) keepTree(source.documents, target, 0);

  function keepTree(from: string, to: string, depth: number): void {
    for (const name of disk.list(from)) {
      const kind = disk.info(join(from, name))?.kind;
      if (name === OLDER || join(from, name) === source.state) continue;
      if (kind === "file") keep(join(from, name), join(to, name));
      if (kind === "folder" && depth < DEEPEST) {
        progressFolder(context, join(to, name));
        keepTree(join(from, name), join(to, name), depth + 1);
      }
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
