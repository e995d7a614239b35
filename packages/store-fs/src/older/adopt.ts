import { basename, relative } from "node:path";
import { isLoopError } from "@ccw-loop/core";
import { unsealed } from "../commits/commit.ts";
import { commit } from "../commits/commit-events.ts";
import { identityOf, type OpenLoop, type StoreContext } from "../context.ts";
import { laterEpoch, makeHistory, makeProject } from "../folders.ts";
import { backUp } from "../foreign/aside.ts";
import { refusedText, revisionAfter } from "../recovery/unproven.ts";
import { keepDocuments } from "./documents.ts";
import { invalidStateError, type LegacyLoop, readLegacy } from "./read-older.ts";
import { isPlainSource, plainText, type Source } from "./sources.ts";

/**
 * First contact with a loop that has no history: somebody else made it (an editor, the dashboard, an older tool in
 * an older place), or its history is gone. Its documents are kept in the progress folder under `older/`. False when
 * there is no such loop. Throws `store_corrupt` when its state cannot be read.
 */
export async function adopt(context: StoreContext, loop: OpenLoop): Promise<boolean> {
  const older = await readLegacy(context, loop.paths);
  if (!older) return false;
  const { text, source, newestNamed } = older;
  await makeProject(context);
  await makeHistory(context, loop.paths, newestNamed > 0 ? laterEpoch(context) : 0);
  sayRefused(context, loop, older);
  if (newestNamed > 0) {
    await restore(context, loop, older);
  } else {
    await keepDocuments(context, loop, source);
    await begin(context, loop, older);
  }
  finishAdoption(context, loop, source, text);
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
  { state, refused, newestNamed }: LegacyLoop,
): Promise<void> {
  const { id } = loop.paths;
  const at = context.now().toISOString();
  const restored = { state: unsealed(state), unknown: refused };
  const event = { type: "loop.recovered" as const, at, ...restored };
  await commit(context, loop, [event], { actor: "store", revision: revisionAfter(newestNamed) });
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
  const event = { type: "loop.created" as const, at, loop: unsealed(state), adopted_from: from };
  try {
    await commit(context, loop, [{ ...event, notes: notesOn(raw, id) }], { actor: "external" });
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
  for (const path of source.spent) {
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
