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
  stateAtCheckpoint,
  type TreeClaim,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { excludedPaths, excluding } from "../run/left-out.ts";
import { loopFolder, requireKept } from "../run/loop-folder.ts";
import { recordOutsideChanges } from "../run/outside.ts";
import { claimFolder } from "../run/place.ts";
import { appendDecided, readAt } from "../run/recorder.ts";
import { restoreFiles } from "../run/restore.ts";
import { underLease, whileRenewed } from "../run/under-lease.ts";
import { planRewind, requireUndisputed } from "./rewind-plan.ts";

/**
 * What the loop did and its state go back together; what changed from outside stays. The state goes first and says that
 * files are being restored, so a crash in between is finished by whoever drives or rewinds the loop next.
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
  const folder = await deps.workspace(await loopFolder(deps, id));
  await requireKept(folder, seen);
  requireGit(folder);
  return underLease(deps, id, (lease) =>
    onOwnFiles(deps, seen, folder, async (claim) => {
      const { epoch } = lease.scope;
      const holdLease = async () => {
        await lease.renew();
        await claim.renew();
      };
      let revision = named;
      const record = async (decide: (state: LoopState) => readonly LoopEvent[] | null) => {
        const { stored } = await appendDecided(store, id, decide, {
          actor: owner,
          epoch,
          revision,
        });
        if (named !== undefined) revision = stored.revision;
        return stored;
      };
      const workspace = excluding(folder, excludedPaths((await store.read(id)).state));
      const restoring = { workspace, epoch, holdLease };
      const begun = await restoreFiles(deps, id, { ...restoring, revision: named });
      // What finishes an earlier rewind is a commit of this one.
      if (named !== undefined) revision = begun?.state.revision ?? named;
      const { state: before } = await readAt(store, id, revision);
      requireAtRest(before, "rewind");
      const look = { tree: await workspace.tree(), driven: false };
      const looking = { id, deps, workspace, record, emit: () => undefined };
      const state = (await recordOutsideChanges(looking, before, look)) ?? before;
      const target = checkpointOf(state, n);
      // Throws while the state can still stay as it is, when the checkpoint files are gone.
      await workspace.diff(target.commit, target.commit);
      const journal = await collect(store.events(id));
      const plan = await planRewind(workspace, state, journal, target);
      if (!force) requireUndisputed(plan, target);
      const then = stateAtCheckpoint(journal, target, state);
      await record((newest) => {
        requireAtRest(newest, "rewind");
        const at = deps.clock.now().toISOString();
        const back = rewoundState(newest, then, target, plan.leaves);
        return [{ type: "loop.rewound", at, to: n, state: back }];
      });
      const restored = await restoreFiles(deps, id, restoring);
      return restored ?? { state: (await store.read(id)).state, kept: null, left: [] };
    }),
  );
}

/** Does something to the files of a loop while no loop works on them. */
async function onOwnFiles<T>(
  deps: OrchestratorDeps,
  state: LoopState,
  workspace: Workspace,
  act: (claim: TreeClaim) => Promise<T>,
): Promise<T> {
  const claim = await claimFolder(deps, state, workspace);
  try {
    return await whileRenewed(deps, [claim.renew], () => act(claim));
  } finally {
    await claim.release().catch(() => undefined);
  }
}

export function requireGit({ lacks }: Workspace): void {
  const [missing] = lacks;
  if (missing !== undefined) throw new LoopError("invalid_input", missing);
}

export async function collect(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const recorded of events) all.push(recorded);
  return all;
}
