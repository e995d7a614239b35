import { basename, join, relative } from "node:path";
import { isLoopError, type LoopEvent } from "@ccw-loop/core";
import { backUp } from "../backups.ts";
import { commit } from "../commit/append.ts";
import { withoutEtag } from "../commit/commit-form.ts";
import { identityOf, type OpenLoop, type StoreContext } from "../context.ts";
import { temporary } from "../paths.ts";
import { LEGACY_FOLDER, progressFolder } from "../publish/progress-files.ts";
import { commandsText, refusedText, revisionAfter } from "../repair/lost-history.ts";
import { laterEpoch, makeHistory, makeProject } from "../safe-folders.ts";
import {
  invalidStateError,
  isPlainSource,
  type LegacyLoop,
  plainText,
  readLegacy,
  type Source,
} from "./read.ts";

/**
 * First contact with a loop that has no history: somebody else made it (an editor, the dashboard, an older tool in
 * an older place), or its history is gone. Its documents are kept in the progress folder under `older/`. False when
 * there is no such loop. Throws `store_corrupt` when its state cannot be read.
 */
export async function adopt(context: StoreContext, loop: OpenLoop): Promise<boolean> {
  const older = await readLegacy(context, loop.paths);
  if (!older) return false;
  const { text, source, highestRevisionNamed } = older;
  await makeProject(context);
  makeHistory(context, loop.paths, highestRevisionNamed > 0 ? laterEpoch(context) : 0);
  await context.disk.syncFolder(loop.paths.folder);
  sayRefused(context, loop, older);
  if (highestRevisionNamed > 0) {
    await restore(context, loop, older);
  } else {
    await keepDocuments(context, loop, source);
    await begin(context, loop, older);
  }
  finishAdoption(context, loop, source, text);
  const commands = commandsText(older.state);
  if (commands !== null) context.warn(loop.paths.id, commands);
  return true;
}

/** A file that is written over, and brings less than it says, is kept aside. */
function sayRefused(
  context: StoreContext,
  loop: OpenLoop,
  { source, text, refused }: LegacyLoop,
): void {
  if (refused.length === 0 || !source.isOurPlace) return;
  const aside = basename(backUp(context, loop, source.state, "conflict", Buffer.from(text)));
  const name = basename(source.state);
  context.warn(loop.paths.id, `${name} is kept as ${aside}. ${refusedText(refused)}`);
}

/** A new history behind the one that is gone. */
async function restore(
  context: StoreContext,
  loop: OpenLoop,
  { state, refused, highestRevisionNamed }: LegacyLoop,
): Promise<void> {
  const { id } = loop.paths;
  const at = context.now().toISOString();
  const restored = { state: withoutEtag(state), unknown: refused };
  const event = { type: "loop.recovered" as const, at, ...restored };
  await commit(context, loop, [event], {
    actor: "store",
    revision: revisionAfter(highestRevisionNamed),
  });
  context.warn(
    id,
    `The history of loop ${id} is gone. It comes back from its state file, and nothing of it is proven; its status is ${state.status}.`,
  );
}

async function begin(
  context: StoreContext,
  loop: OpenLoop,
  { state, source, raw }: LegacyLoop,
): Promise<void> {
  const { id } = loop.paths;
  const at = context.now().toISOString();
  const from = relative(context.project.root, source.state);
  const created = { type: "loop.created" as const, at, loop: withoutEtag(state) };
  const events: LoopEvent[] = [{ ...created, adopted_from: from, notes: notesOn(raw, id) }];
  const reason = commandsText(state);
  if (reason !== null && state.status === "paused")
    events.push({ type: "loop.paused", at, reason });
  try {
    await commit(context, loop, events, { actor: "external" });
  } catch (error) {
    throw isLoopError(error, "invalid_input")
      ? invalidStateError(id, source, error.message)
      : error;
  }
}

function notesOn(raw: unknown, id: string): string[] {
  const named: unknown = Object(raw).loop_id ?? Object(raw).session_id;
  if (named === undefined || named === id) return [];
  return [`The file said loop_id ${JSON.stringify(named)}; the name of the file counts.`];
}

/** What was taken over needs no second look; what lies in an older place is renamed. */
function finishAdoption(context: StoreContext, loop: OpenLoop, source: Source, text: string): void {
  const { disk } = context;
  const { id, document, tasks } = loop.paths;
  loop.publishedText = source.state === document ? text : null;
  loop.published = 0;
  loop.staleProgressFiles = null;
  const file = identityOf(disk, tasks);
  loop.tasks = file === null ? null : { file, text: plainText(disk, tasks) ?? "" };
  for (const path of source.migratedPaths) {
    if (!disk.info(path)) continue;
    if (!isPlainSource(disk, path, source)) {
      context.warn(
        id,
        `${path} was not taken over: no plain file or folder of tasks stands there.`,
      );
      continue;
    }
    try {
      disk.rename(path, `${path}.migrated`);
    } catch {
      context.warn(id, `${path} was taken over, but could not be renamed. You may delete it.`);
    }
  }
}

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
  const { disk, runtime } = context;
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
      if (++copied % BATCH === 0) await runtime.yieldToEventLoop();
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
