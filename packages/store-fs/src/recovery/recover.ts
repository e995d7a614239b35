import { basename } from "node:path";
import type { Recovery } from "@ccw-loop/core";
import { isSealed, unsealed } from "../commits/commit.ts";
import { commit } from "../commits/commit-events.ts";
import { jsonOf } from "../commits/lines.ts";
import { revisionsText } from "../commits/revision-names.ts";
import { type Context, forget, type OpenLoop } from "../context.ts";
import { laterEpoch, makeHistory } from "../folders.ts";
import { bytesOf, keepAside } from "../foreign/aside.ts";
import { stateIn } from "../foreign/take-in.ts";
import { notFound, settle } from "../settle.ts";
import { firstObject } from "./first-object.ts";
import { rebuildFromDocuments } from "./from-documents.ts";
import { mendJournal } from "./mend-journal.ts";
import { misplacedIn, moveAside, without } from "./misplaced.ts";
import { type Found, type Remains, remainsOf } from "./remains.ts";

/**
 * Rebuilds a loop from what is left of its files, the exact ones first. Nothing is deleted: what is damaged
 * is kept aside. With `dryRun` nothing is changed at all.
 */
export async function recover(
  context: Context,
  loop: OpenLoop,
  { dryRun, at }: { dryRun: boolean; at: string },
): Promise<Recovery> {
  forget(loop);
  const misplaced = misplacedIn(context, loop.paths);
  const seen = without(context, misplaced);
  const remains = await remainsOf(seen, loop);
  const plan = planFor(seen, loop, remains, at, misplaced);
  if (dryRun) return plan;
  const notes = [...plan.notes, ...(await clearAway(context, loop, remains, misplaced))];
  const { best, highest } = remains;
  const untouched = !best && isWhole(context, loop);
  if (!untouched && (best?.from !== "history" || best.revision < highest)) {
    await makeHistory(context, loop.paths, laterEpoch(context));
    const { state, unknown } = plan;
    const event = { type: "loop.recovered" as const, at, state: unsealed(state), unknown };
    await commit(context, loop, [event], { actor: "recover", revision: highest + 1 });
  }
  const { commit: newest } = await settle(context, loop);
  loop.touched = null;
  loop.published = 0;
  return { ...plan, state: newest.state, notes };
}

function planFor(
  context: Context,
  loop: OpenLoop,
  { best, damaged, unreadable }: Remains,
  at: string,
  misplaced: readonly string[],
): Recovery {
  const more = misplaced.map((path) => `Something else stands in the place of ${basename(path)}.`);
  if (unreadable > 0) {
    more.push(
      `${unreadable} ${unreadable === 1 ? "line" : "lines"} of the journal cannot be read.`,
    );
  }
  if (best) {
    const notes = [...sentencesFor(best, damaged), ...more];
    return { source: "journal", state: best.state, unknown: [], notes };
  }
  const rebuilt = adoptable(context, loop) ?? rebuildFromDocuments(context, loop, at);
  if (!rebuilt) throw notFound(loop.paths.id);
  return { source: "documents", ...rebuilt, notes: [...rebuilt.notes, ...more] };
}

/** True for a loop of another tool that only was not looked at yet. */
function isWhole({ disk }: Context, { paths }: OpenLoop): boolean {
  return stateIn(disk.read(paths.document) ?? "", paths.id) !== null;
}

/** A loop of another tool that is fine, or whose file only has too much behind its end. */
function adoptable({ disk }: Context, { paths }: OpenLoop) {
  const text = disk.read(paths.document) ?? "";
  const object = firstObject(text);
  const state = stateIn(object, paths.id);
  const more = text.slice(text.indexOf(object) + object.length).trim().length;
  const note =
    more === 0
      ? "The state file is whole; nothing is damaged."
      : `The state file has ${more} characters too many at its end; the state before them is whole.`;
  return state && { state, unknown: [], notes: [note] };
}

function sentencesFor({ revision, from }: Found, damaged: number[]): string[] {
  const lost = damaged.filter((one) => one > revision);
  const older = damaged.filter((one) => one < revision);
  const sentences: string[] = [];
  if (lost.length > 0) {
    const what = revisionsText(lost).replace(/^r/, "R");
    sentences.push(
      `${what} ${lost.length === 1 ? "is" : "are"} lost; revision ${revision} is the newest that can be read.`,
    );
  } else if (from !== "history") {
    sentences.push(
      `Revision ${revision} was rebuilt exactly from the ${from === "document" ? "state file" : from}.`,
    );
  } else if (damaged.length === 0) {
    sentences.push("The history is whole; what is published is written again from it.");
  }
  if (older.length > 0) {
    sentences.push(
      `The file of ${revisionsText(older)} cannot be read; the newest state does not need it.`,
    );
  }
  return sentences;
}

/** Keeps copies of what cannot be read for good; answers with what was done, as sentences. */
async function clearAway(
  context: Context,
  loop: OpenLoop,
  { damaged, unreadable }: Remains,
  misplaced: readonly string[],
) {
  const { disk, history } = context;
  const { document } = loop.paths;
  const moved = moveAside(context, misplaced);
  moved.push(...damaged.map((revision) => history.keepDamaged(loop.paths, revision)));
  const text = disk.read(document);
  if (text !== null && stateIn(text, loop.paths.id) === null) {
    moved.push(keepAside(context, loop, document, "damaged", bytesOf(disk, document)));
    loop.known = text;
  } else if (text !== null && isSealed(jsonOf(text))) {
    loop.known = text;
  }
  const mended = unreadable > 0 ? await mendJournal(context, loop) : [];
  return [...moved.map((path) => `What was damaged is kept as ${basename(path)}.`), ...mended];
}
