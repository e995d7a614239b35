import {
  checkpointOf,
  LoopError,
  type LoopEvent,
  type LoopState,
  type RecordedEvent,
  type RevisionOptions,
  type Rewound,
  requireAtRest,
  rewoundState,
  stateBehind,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { loopFolder } from "../run/loop-folder.ts";
import { appendDecided, readAt } from "../run/recorder.ts";
import { restoreFiles } from "../run/restore.ts";
import { underLease } from "./at-rest.ts";

/**
 * Files and state go back together. The state goes first and says that files are being restored, so a crash in
 * between is finished by whoever drives or rewinds the loop next.
 */
export async function rewindLoop(
  deps: OrchestratorDeps,
  id: string,
  n: number,
  { force = false, revision: named }: RevisionOptions & { force?: boolean },
): Promise<Rewound> {
  const { store, owner } = deps;
  const { state: seen } = await readAt(store, id, named);
  requireAtRest(seen, "rewind");
  checkpointOf(seen, n);
  const workspace = await deps.workspace(await loopFolder(deps, id));
  requireGit(workspace);
  return underLease(deps, id, async (lease) => {
    const { epoch } = lease.scope;
    const restoring = { workspace, epoch, holdLease: () => lease.renew() };
    const begun = await restoreFiles(deps, id, { ...restoring, revision: named });
    // What finishes an earlier rewind is a commit of this one.
    const revision = named === undefined ? undefined : (begun?.state.revision ?? named);
    const { state } = await readAt(store, id, revision);
    requireAtRest(state, "rewind");
    const target = checkpointOf(state, n);
    // Throws while the state can still stay as it is, when the checkpoint's files are gone.
    await workspace.diff(target.commit, target.commit);
    if (!force) await requireOwnWork(workspace, state);
    const journal = await collect(store.events(id));
    const then = stateBehind(journal, target, state);
    await appendDecided(
      store,
      id,
      (newest): LoopEvent[] => {
        requireAtRest(newest, "rewind");
        const at = deps.clock.now().toISOString();
        return [{ type: "loop.rewound", at, to: n, state: rewoundState(newest, then, target) }];
      },
      { actor: owner, epoch, revision },
    );
    const restored = await restoreFiles(deps, id, restoring);
    return restored ?? { state: (await store.read(id)).state, kept: null };
  });
}

export function requireGit({ lacks }: Workspace): void {
  const [missing] = lacks;
  if (missing !== undefined) throw new LoopError("invalid_input", missing);
}

/** Files that differ from the loop's newest checkpoint were changed by somebody else, or by an action that was cut off. */
async function requireOwnWork(workspace: Workspace, state: LoopState): Promise<void> {
  const last = state.checkpoints?.at(-1);
  const tree = await workspace.tree();
  if (!last || last.tree === tree) return;
  const paths = (await workspace.changes(last.tree, tree)).map(({ path }) => path);
  throw new LoopError(
    "workspace_changed",
    `${paths.length} ${paths.length === 1 ? "file" : "files"} changed since checkpoint ${last.n} (${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ", …" : ""}). ` +
      "Commit or move them first, or rewind with --force: they are then kept in a commit, which it names.",
    { details: { paths: paths.slice(0, 100) } },
  );
}

export async function collect(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const recorded of events) all.push(recorded);
  return all;
}
