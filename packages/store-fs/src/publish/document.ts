import { tryParseJson } from "@ccw-loop/core";
import { documentOf, type StoredCommit } from "../commits/commit.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import type { Displaced } from "../disk/disk.ts";
import { textOf } from "../disk/text.ts";
import { type ExternalDocument, isPublishedByUs } from "../foreign/take-in.ts";
import { temporary } from "../paths.ts";
import { readUntilComplete } from "./whole.ts";

/**
 * Puts the state in its public place. Answers with the document that was there when that was neither ours nor
 * taken in: somebody wrote it in the same moment. Nobody sees half a document at any time.
 */
export async function publishDocument(
  context: StoreContext,
  loop: OpenLoop,
  { commit }: StoredCommit,
): Promise<ExternalDocument | null> {
  const { disk, machine, late } = context;
  if (loop.published === commit.revision) return null;
  const text = documentOf(commit.state);
  const draft = temporary(loop.paths.history);
  const before = loop.publishedText;
  const isKnown = loop.published > 0;
  let displaced: Displaced | null;
  try {
    disk.write(draft, text);
    displaced = disk.replace(draft, loop.paths.document);
  } catch (error) {
    disk.remove(draft);
    throw error;
  }
  loop.publishedText = text;
  loop.published = commit.revision;
  if (!displaced) return null;
  const { instance } = displaced;
  let seen = textOf(displaced.bytes());
  let foreign: ExternalDocument | null = null;
  if (seen !== before) {
    const old = await readUntilComplete(machine, () => displaced.bytes());
    seen = old.text;
    const written = displaced.written();
    if (!isPublishedByUs(context, loop, tryParseJson(seen)))
      foreign = { ...old, instance, written };
  }
  const unfinished = !(isKnown && seen === before) && tryParseJson(seen) === undefined;
  late.watch(loop.paths.id, displaced, seen, unfinished);
  return foreign;
}
