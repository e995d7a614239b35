import { setTimeout as sleep } from "node:timers/promises";
import { documentOf, isSealed, type Stored } from "../commits/commit.ts";
import { jsonOf } from "../commits/lines.ts";
import type { Context, OpenLoop } from "../context.ts";
import type { Displaced } from "../disk/disk.ts";
import { textOf } from "../disk/text.ts";
import type { ForeignDocument } from "../foreign/take-in.ts";
import { temporary } from "../paths.ts";

/** How long a program that writes a file in place, not by rename, gets to finish it. */
const PATIENCE_MS = 250;

/**
 * Puts the state in its public place. Answers with the document that was there when that was neither ours nor
 * taken in: somebody wrote it in the same moment. Nobody sees half a document at any time.
 */
export async function publishDocument(
  { disk }: Context,
  loop: OpenLoop,
  { commit }: Stored,
): Promise<ForeignDocument | null> {
  if (loop.published === commit.revision) return null;
  const text = documentOf(commit.state);
  const draft = temporary(loop.paths.history);
  const before = loop.known;
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
  try {
    if (textOf(displaced.bytes()) === before) return null;
    const old = await whole(() => displaced.bytes());
    return isSealed(jsonOf(old.text)) ? null : { ...old, instance: displaced.instance };
  } finally {
    displaced.close();
  }
}

/** Bytes that are a whole JSON text, or will not become one. */
export async function whole(read: () => Buffer): Promise<{ bytes: Buffer; text: string }> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const bytes = read();
    const text = textOf(bytes);
    if (jsonOf(text) !== undefined || performance.now() > until) return { bytes, text };
    await sleep(5);
  }
}
