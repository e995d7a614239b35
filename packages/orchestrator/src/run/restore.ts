import type { LoopEvent, Rewound, Workspace } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { makeCheckpoint } from "../proof/keep-files.ts";
import { appendDecided, readAt } from "./recorder.ts";

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
  const keeping = { id, deps, workspace, emit: () => undefined };
  const rest = leaves.length > 0 ? await makeCheckpoint(keeping, null, { outside: true }) : null;
  const { stored } = await appendDecided(
    store,
    id,
    (newest) =>
      newest.workspace?.restoring === commit ? [event, ...(rest ? [rest.event] : [])] : null,
    { actor: owner, epoch, revision: named },
  );
  return { state: stored.state, kept: kept.commit, left: leaves };
}
