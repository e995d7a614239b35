import { jsonOf } from "@ccw-loop/core";
import { type Stored, unsealed } from "./commits/commit.ts";
import { commit } from "./commits/commit-events.ts";
import { refresh } from "./commits/head.ts";
import { type Context, identityOf, type OpenLoop } from "./context.ts";
import { notFound } from "./disk/errors.ts";
import { bytesOf } from "./foreign/aside.ts";
import { takeJournal } from "./foreign/journal-tail.ts";
import { isOurs, takeIn } from "./foreign/take-in.ts";
import { takeTaskLines } from "./foreign/task-lines.ts";
import { adopt } from "./older/adopt.ts";
import { whole } from "./publish/whole.ts";
import { leftAlone } from "./recovery/left-alone.ts";

/** True when nothing happened to the loop since it was last settled: a few looks at the disk, no waiting. */
export function isSettled(context: Context, loop: OpenLoop): boolean {
  const head = loop.head?.stored;
  return (
    head !== undefined &&
    refresh(context, loop) === head &&
    context.disk.read(loop.paths.document) === loop.known &&
    identityOf(context.disk, loop.paths.tasks) === (loop.tasks?.file ?? null)
  );
}

/**
 * The newest commit, after everything that others did to the files was taken in: a document or tasks they
 * wrote, a loop they made. Throws `loop_not_found`, `store_corrupt`.
 */
export async function settle(context: Context, loop: OpenLoop): Promise<Stored> {
  for (;;) {
    const head = refresh(context, loop);
    if (!head) {
      if (await adopt(context, loop)) continue;
      throw leftAlone(context, loop.paths) ?? notFound(loop.paths.id);
    }
    if (head.commit.state.loop_id !== loop.paths.id) {
      await correctId(context, loop, head);
      continue;
    }
    if (await settleDocument(context, loop, head)) continue;
    if (!loop.asked && (await takeJournal(context, loop, head))) continue;
    if (await takeTaskLines(context, loop, head)) continue;
    return head;
  }
}

/** A loop is what its files are called, whatever they say inside: somebody renamed them. */
async function correctId(context: Context, loop: OpenLoop, head: Stored): Promise<void> {
  const { id } = loop.paths;
  const { state } = head.commit;
  const at = context.now().toISOString();
  const event = {
    type: "external.edited" as const,
    at,
    state: { ...unsealed(state), loop_id: id },
  };
  await commit(context, loop, [event], { actor: "store" });
  context.warn(id, `The files of loop ${id} said loop_id ${state.loop_id}; their name counts.`);
}

/** Looks at the published document; true when the caller has to start over. */
async function settleDocument(context: Context, loop: OpenLoop, head: Stored): Promise<boolean> {
  const { disk } = context;
  const { document } = loop.paths;
  const text = disk.read(document);
  if (text === loop.known) return false;
  if (text === null) {
    loop.known = null;
    loop.published = 0;
    return false;
  }
  const raw = jsonOf(text);
  if (isOurs(context, loop, raw)) {
    const { revision } = head.commit;
    loop.known = text;
    loop.published = raw.revision;
    loop.touched = raw.revision === revision ? new Set() : null;
    return false;
  }
  const found = await whole(context.machine, () => bytesOf(disk, document));
  const { instance = "", modified: written = 0 } = disk.info(document) ?? {};
  // A commit comes before its document: whoever sees a newer document can see the newer commit.
  if (found.text !== disk.read(document) || refresh(context, loop) !== head) return true;
  await takeIn(context, loop, { ...found, instance, written });
  return true;
}
