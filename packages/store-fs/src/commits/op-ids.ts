import type { Context, OpenLoop } from "../context.ts";
import type { Stored } from "./commit.ts";
import { readJournal } from "./journal.ts";

/** The revision that an op id made; undefined when it made none that is still told of. */
export async function findOp(
  { history, disk }: Context,
  loop: OpenLoop,
  opId: string,
): Promise<number | undefined> {
  const { paths } = loop;
  const newest = loop.head?.stored.commit.revision ?? 0;
  if (newest <= loop.opsThrough) return loop.ops.get(opId);
  const kept = history.revisions(paths).filter((r) => r > loop.opsThrough && r <= newest);
  if (kept[0] !== loop.opsThrough + 1) {
    for await (const entry of readJournal(disk, paths.journal)) {
      if (entry.opId !== undefined) loop.ops.set(entry.opId, entry.revision);
    }
  }
  for (const revision of kept) {
    const stored = history.tryLoad(paths, revision);
    if (stored) remember(loop, stored);
  }
  loop.opsThrough = Math.max(loop.opsThrough, newest);
  return loop.ops.get(opId);
}

/** Notes the op id of a commit that is the next one to note. */
export function remember(loop: OpenLoop, { commit: { op_id, revision } }: Stored): void {
  loop.ops.set(op_id, revision);
  loop.opsThrough = Math.max(loop.opsThrough, revision);
}
