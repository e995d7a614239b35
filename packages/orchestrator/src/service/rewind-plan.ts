import {
  type Checkpoint,
  type FileChange,
  LoopError,
  type LoopState,
  type RecordedEvent,
  type Workspace,
} from "@ccw-loop/core";
import { changesBetween } from "../proof/start.ts";

/** What a rewind does to files that differ from its checkpoint, beside taking back what the loop did. */
export interface RewindPlan {
  /** Changed from outside alone: they stay as they are. */
  leaves: string[];
  /** Changed by the loop and from outside, or by nobody knows whom. */
  disputed: string[];
}

/**
 * Whose the changes since a checkpoint are. Between two of its records of what changed from outside, everything is the
 * loop's; behind its newest checkpoint only as far as it knows what its last turn or test run left.
 */
export async function planRewind(
  workspace: Workspace,
  state: LoopState,
  journal: readonly RecordedEvent[],
  target: Checkpoint,
): Promise<RewindPlan> {
  const now = await workspace.tree();
  const last = state.checkpoints?.at(-1)?.tree ?? target.tree;
  const known = state.workspace?.seen ?? last;
  const differing = await changesBetween({ workspace }, target.tree, now);
  const unknown = await changesBetween({ workspace }, known, now);
  const whose = await changesSince(workspace, journal, target, known);
  if (differing === null || unknown === null || whose === null) {
    const since = await workspace.changes(last, now);
    return { leaves: [], disputed: pathsOf(since) };
  }
  const { own, outside } = whose;
  const doubtful = new Set(pathsOf(unknown));
  const isDisputed = (path: string) => doubtful.has(path) || (own.has(path) && outside.has(path));
  const paths = pathsOf(differing);
  return {
    leaves: paths.filter((path) => outside.has(path) && !isDisputed(path)),
    disputed: paths.filter(isDisputed),
  };
}

/** Throws `workspace_changed` for files that would be lost although they may be somebody else's. */
export function requireUndisputed({ disputed }: RewindPlan, { n }: Checkpoint): void {
  if (disputed.length === 0) return;
  const shown = `${disputed.slice(0, 5).join(", ")}${disputed.length > 5 ? ", …" : ""}`;
  throw new LoopError(
    "workspace_changed",
    `${disputed.length} ${disputed.length === 1 ? "file" : "files"} changed since checkpoint ${n} not by this loop alone (${shown}). ` +
      "Commit or move them first, or rewind with --force: they are then kept in a commit, which it names.",
    { details: { paths: disputed.slice(0, 100) } },
  );
}

/** Null where a tree on the way is not known any more. */
async function changesSince(
  workspace: Workspace,
  journal: readonly RecordedEvent[],
  target: Checkpoint,
  until: string,
): Promise<{ own: Set<string>; outside: Set<string> } | null> {
  const own = new Set<string>();
  const outside = new Set<string>();
  const add = async (paths: Set<string>, from: string, to: string): Promise<boolean> => {
    const found = await changesBetween({ workspace }, from, to);
    for (const { path } of found ?? []) paths.add(path);
    return found !== null;
  };
  let from = target.tree;
  for (const event of behind(journal, target)) {
    if (event.type !== "workspace.changed") continue;
    const isKnown =
      (await add(own, from, event.from)) && (await add(outside, event.from, event.tree));
    if (!isKnown) return null;
    from = event.tree;
  }
  return (await add(own, from, until)) ? { own, outside } : null;
}

/** What was recorded since the checkpoint was made, or since the fork began that has it from another loop. */
function behind(journal: readonly RecordedEvent[], { n, commit, at }: Checkpoint) {
  const events = journal.map(({ event }) => event);
  const made = events.findLastIndex(
    (event) =>
      event.type === "checkpoint.made" &&
      event.checkpoint.n === n &&
      event.checkpoint.commit === commit &&
      event.checkpoint.at === at,
  );
  return events.slice(made + 1);
}

function pathsOf(changes: readonly FileChange[]): string[] {
  return changes.map(({ path }) => path);
}
