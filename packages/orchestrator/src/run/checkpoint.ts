import {
  type ActionName,
  type Checkpoint,
  errorText,
  isLoopError,
  type LoopEvent,
  type Rewound,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { nowOf, type RunContext, warn } from "./context.ts";
import { appendDecided, readAt } from "./recorder.ts";

export type CheckpointContext = Pick<RunContext, "id" | "deps" | "workspace" | "options"> & {
  /** Who waits for a git server that is away gives up when this aborts; without it nobody waits. */
  watcher?: { readonly signal: AbortSignal };
};

/** The files as they are now, kept under the loop's next number, with the fact to record. */
export interface MadeCheckpoint {
  checkpoint: Checkpoint;
  event: LoopEvent;
}

/**
 * Makes the next checkpoint; number 0 is the start. Null when it could not be made: that is told and costs the
 * loop a place to go back to, not its work. But a loop that brings a repository goes no further than what others can
 * fetch: then it throws `repository_unavailable` or `repository_refused`. `looked` is the tree that was named since the
 * last run of anything.
 */
export async function makeCheckpoint(
  ctx: CheckpointContext,
  action: ActionName | null,
  { looked, ...what }: { outside?: true; looked?: string | undefined } = {},
): Promise<MadeCheckpoint | null> {
  const { state } = await ctx.deps.store.read(ctx.id);
  const before = state.checkpoints?.at(-1);
  const n = before ? before.n + 1 : 0;
  try {
    const message = `${ctx.id} ${n}: ${action ?? (what.outside ? "changed from outside" : "start")}`;
    const options = { after: before?.commit, looked };
    const kept = await onceServed(ctx, action, () =>
      ctx.workspace.checkpoint(ctx.id, n, message, options),
    );
    const checkpoint: Checkpoint = {
      n,
      at: nowOf(ctx),
      action,
      ...what,
      ...kept,
      ...(await diffstat(ctx, before, kept)),
    };
    return { checkpoint, event: { type: "checkpoint.made", at: checkpoint.at, checkpoint } };
  } catch (error) {
    if (isLoopError(error, "repository_unavailable", "repository_refused")) throw error;
    const message = `The files could not be kept as checkpoint ${n}: ${errorText(error)}`;
    warn(ctx, action ?? "INIT", message);
    return null;
  }
}

/** For so long a git server that went away in the middle of an action is waited for, and so often asked. */
const AWAY_MS = 10 * 60 * 1000;
const SOONEST_MS = 250;
const LATEST_MS = 15_000;

/** Repeats the work while the server of the loop's repository is away, and tells once that it is. */
export async function onceServed<T>(
  ctx: CheckpointContext,
  action: ActionName | null,
  work: () => Promise<T>,
): Promise<T> {
  const { clock } = ctx.deps;
  const until = clock.monotonic() + AWAY_MS;
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isOver = !ctx.watcher || ctx.watcher.signal.aborted || clock.monotonic() > until;
      if (isOver || !isLoopError(error, "repository_unavailable")) throw error;
      const { message } = error;
      if (tries === 0) warn(ctx, action ?? "INIT", message);
      const wait = Math.min(LATEST_MS, SOONEST_MS * 2 ** Math.min(tries, 20));
      await clock.sleep(wait, ctx.watcher?.signal);
    }
  }
}

async function diffstat(
  { workspace }: CheckpointContext,
  before: Checkpoint | undefined,
  { commit, tree }: { commit: string; tree: string },
): Promise<Pick<Checkpoint, "files" | "added" | "removed">> {
  if (!before || before.tree === tree) return { files: 0, added: 0, removed: 0 };
  if (workspace.lacks.length > 0) {
    const { length } = await workspace.changes(before.tree, tree);
    return { files: length, added: 0, removed: 0 };
  }
  const { files } = await workspace.diff(before.commit, commit, { counts: true });
  const sum = (key: "added" | "removed") => files.reduce((n, file) => n + (file[key] ?? 0), 0);
  return { files: files.length, added: sum("added"), removed: sum("removed") };
}

/** The checkpoints that hold what was there before a rewind belong to this name, numbered by revision. */
export function rewindBackupId(id: string): string {
  return `${id}.before-rewind`;
}

export interface Restoring {
  workspace: Workspace;
  epoch: number;
  /** Throws when the lease was lost: then the files are another owner's. */
  holdLease: () => Promise<void>;
  /** Only while the loop is at this revision. */
  revision?: number | undefined;
}

/**
 * Finishes a rewind: puts back the files of the checkpoint that the state names, after what is there now was kept.
 * Undefined when there is nothing to restore.
 */
export async function restoreFiles(
  deps: OrchestratorDeps,
  id: string,
  { workspace, epoch, holdLease, revision: named }: Restoring,
): Promise<Rewound | undefined> {
  const { store, owner, clock } = deps;
  const { state, revision } = await readAt(store, id, named);
  const { restoring: commit, restoring_leaves: leaves = [] } = state.workspace ?? {};
  if (!commit) return undefined;
  const kept = await workspace.checkpoint(rewindBackupId(id), revision, `${id}: before a rewind`);
  await holdLease();
  await workspace.restore(commit, leaves);
  const tree = await workspace.tree();
  const event: LoopEvent = { type: "workspace.restored", at: clock.now().toISOString(), tree };
  // What was left as it is lies there now as well: the next action is compared with that.
  const keeping = { id, deps, workspace, options: {} };
  const what = { outside: true, looked: tree } as const;
  const rest = leaves.length > 0 ? await makeCheckpoint(keeping, null, what) : null;
  const { stored } = await appendDecided(
    store,
    id,
    (newest) =>
      newest.workspace?.restoring === commit ? [event, ...(rest ? [rest.event] : [])] : null,
    { actor: owner, epoch, revision: named },
  );
  return { state: stored.state, kept: kept.commit, left: leaves };
}
