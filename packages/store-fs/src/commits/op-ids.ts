import { opName, requireSameOp } from "@ccw-loop/core";
import type { OpenLoop, StoreContext } from "../context.ts";
import type { StoredCommit } from "./commit.ts";
import { readJournal } from "./journal.ts";

/** The revision that an op id made; undefined when it made none that is still told of. Throws `op_reused`. */
export async function findOp(
  { history, disk }: StoreContext,
  loop: OpenLoop,
  opId: string,
): Promise<number | undefined> {
  await readOps({ history, disk }, loop);
  const found = loop.ops.get(opName(opId));
  if (found) requireSameOp(found.opId, opId);
  return found?.revision;
}

async function readOps(
  { history, disk }: Pick<StoreContext, "history" | "disk">,
  loop: OpenLoop,
): Promise<void> {
  const { paths } = loop;
  const newest = loop.head?.stored.commit.revision ?? 0;
  if (newest <= loop.opsThrough) return;
  const kept = history.recent(paths).filter((r) => r > loop.opsThrough && r <= newest);
  if (kept[0] !== loop.opsThrough + 1) {
    // What is in the history is told by it alone.
    const oldest = kept[0] ?? newest + 1;
    for await (const { opId, revision } of readJournal(disk, paths.journal)) {
      if (revision >= oldest) break;
      if (opId !== undefined) loop.ops.set(opName(opId), { opId, revision });
    }
  }
  for (const revision of kept) {
    const stored = history.tryLoad(paths, revision);
    if (stored) remember(loop, stored);
  }
  loop.opsThrough = Math.max(loop.opsThrough, newest);
}

/** Notes the op id of a commit that is the next one to note. */
export function remember(loop: OpenLoop, { commit: { op_id, revision } }: StoredCommit): void {
  loop.ops.set(opName(op_id), { opId: op_id, revision });
  loop.opsThrough = Math.max(loop.opsThrough, revision);
}
