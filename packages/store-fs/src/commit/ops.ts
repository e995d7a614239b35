import { opName, requireSameOp } from "@ccw-loop/core";
import type { OpenLoop, StoreContext } from "../context.ts";
import { journalSince, timeOf } from "../journal/journal.ts";
import type { CommitHead } from "./commit-form.ts";

/** For so long a request that is repeated is known again. */
const KNOWN_MS = 24 * 60 * 60 * 1000;

/** The revision that an op id made within a day; undefined when it made none. Throws `op_reused`. */
export async function findOp(
  context: StoreContext,
  loop: OpenLoop,
  opId: string,
): Promise<number | undefined> {
  await readOps(context, loop);
  forgetOld(context, loop);
  const found = loop.ops.get(opName(opId));
  if (found) requireSameOp(found.opId, opId);
  return found?.revision;
}

async function readOps(context: StoreContext, loop: OpenLoop): Promise<void> {
  const { history, disk } = context;
  const { paths, opsThrough } = loop;
  const newest = loop.head?.stored.commit.revision ?? 0;
  if (newest <= opsThrough) return;
  const kept = history.recent(paths).filter((r) => r > opsThrough && r <= newest);
  if (kept[0] !== opsThrough + 1) {
    // What is in the history is told by it alone.
    const oldest = kept[0] ?? newest + 1;
    const since = context.runtime.wall() - KNOWN_MS;
    for await (const { op_id, revision, events } of journalSince(disk, paths.journal, since)) {
      if (revision >= oldest) break;
      if (op_id === undefined) continue;
      loop.ops.set(opName(op_id), { opId: op_id, revision, at: timeOf(events) });
    }
  }
  for (const revision of kept) {
    const commit = history.tryEvents(paths, revision);
    if (commit) remember(loop, commit);
  }
  loop.opsThrough = Math.max(loop.opsThrough, newest);
}

/** Notes the op id of a commit that is the next one to note. */
export function remember(loop: OpenLoop, { op_id, revision, at }: CommitHead): void {
  const name = opName(op_id);
  // Behind the others: those that come first are the oldest.
  loop.ops.delete(name);
  loop.ops.set(name, { opId: op_id, revision, at: Date.parse(at) });
  loop.opsThrough = Math.max(loop.opsThrough, revision);
}

function forgetOld({ runtime }: StoreContext, { ops }: OpenLoop): void {
  const since = runtime.wall() - KNOWN_MS;
  for (const [name, { at }] of ops) {
    if (at >= since) return;
    ops.delete(name);
  }
}
