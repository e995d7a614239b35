import { jsonOf } from "@ccw-loop/core";
import { documentOf, type Stored } from "../commits/commit.ts";
import type { Context, OpenLoop } from "../context.ts";
import type { Displaced } from "../disk/disk.ts";
import { textOf } from "../disk/text.ts";
import { type ForeignDocument, isOurs } from "../foreign/take-in.ts";
import { temporary } from "../paths.ts";
import { whole } from "./whole.ts";

/**
 * Puts the state in its public place. Answers with the document that was there when that was neither ours nor
 * taken in: somebody wrote it in the same moment. Nobody sees half a document at any time.
 */
export async function publishDocument(
  context: Context,
  loop: OpenLoop,
  { commit }: Stored,
): Promise<ForeignDocument | null> {
  const { disk, machine, late } = context;
  if (loop.published === commit.revision) return null;
  const text = documentOf(commit.state);
  const draft = temporary(loop.paths.history);
  const before = loop.known;
  const isKnown = loop.published > 0;
  let displaced: Displaced | null;
  try {
    disk.write(draft, text);
    displaced = disk.replace(draft, loop.paths.document);
  } catch (error) {
    disk.remove(draft);
    throw error;
  }
  loop.known = text;
  loop.published = commit.revision;
  if (!displaced) return null;
  const { instance } = displaced;
  let seen = textOf(displaced.bytes());
  let foreign: ForeignDocument | null = null;
  if (seen !== before) {
    const old = await whole(machine, () => displaced.bytes());
    seen = old.text;
    const written = displaced.written();
    if (!isOurs(context, loop, jsonOf(seen))) foreign = { ...old, instance, written };
  }
  const unfinished = !(isKnown && seen === before) && jsonOf(seen) === undefined;
  late.watch(loop.paths.id, displaced, seen, unfinished);
  return foreign;
}
