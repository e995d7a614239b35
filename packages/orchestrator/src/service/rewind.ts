import {
  checkpointOf,
  LoopError,
  type LoopEvent,
  type LoopState,
  type RecordedEvent,
  type Rewound,
  rewoundState,
  stateBehind,
  type TreeClaim,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { loopFolder } from "../run/loop-folder.ts";
import { claimFolder } from "../run/place.ts";
import { appendDecided } from "../run/recorder.ts";
import { restoreFiles } from "../run/restore.ts";
import { underLease, whileRenewed } from "../run/under-lease.ts";
import { requireAtRest } from "./at-rest.ts";

/**
 * Files and state go back together. The state goes first and says that files are being restored, so a crash in
 * between is finished by whoever drives or rewinds the loop next.
 */
export async function rewindLoop(
  deps: OrchestratorDeps,
  id: string,
  n: number,
  { force = false }: { force?: boolean },
): Promise<Rewound> {
  const { store, owner } = deps;
  const { state: seen } = await store.read(id);
  requireAtRest(seen, "rewind");
  checkpointOf(seen, n);
  const workspace = await deps.workspace(await loopFolder(deps, id));
  requireGit(workspace);
  return underLease(deps, id, (lease) =>
    onOwnFiles(deps, seen, workspace, async (claim) => {
      const { epoch } = lease;
      const holdLease = async () => {
        await store.renew(lease);
        await claim.renew();
      };
      const restoring = { workspace, epoch, holdLease };
      const begun = await restoreFiles(deps, id, restoring);
      const state = begun?.state ?? (await store.read(id)).state;
      requireAtRest(state, "rewind");
      const target = checkpointOf(state, n);
      // Throws while the state can still stay as it is, when the checkpoint's files are gone.
      await workspace.diff(target.commit, target.commit);
      if (!force) await requireOwnWork(workspace, state);
      const journal = await collect(store.events(id));
      const then = stateBehind(journal, target);
      await appendDecided(
        store,
        id,
        (newest): LoopEvent[] => {
          requireAtRest(newest, "rewind");
          const at = deps.clock.now().toISOString();
          return [{ type: "loop.rewound", at, to: n, state: rewoundState(newest, then, target) }];
        },
        { actor: owner, epoch },
      );
      const restored = await restoreFiles(deps, id, restoring);
      return restored ?? { state: (await store.read(id)).state, kept: null };
    }),
  );
}

/** Does something to a loop's files while no loop works on them. */
async function onOwnFiles<T>(
  deps: OrchestratorDeps,
  state: LoopState,
  workspace: Workspace,
  act: (claim: TreeClaim) => Promise<T>,
): Promise<T> {
  const claim = await claimFolder(deps, state, workspace);
  try {
    return await whileRenewed(deps, deps.leaseTtlMs, [claim.renew], () => act(claim));
  } finally {
    await claim.release().catch(() => undefined);
  }
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
