import {
  type Checkpoint,
  checkpointOf,
  type FileChange,
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
import { changesBetween } from "../proof/changes.ts";
import { restoreFiles } from "../run/checkpoint.ts";
import { underLease, whileRenewed } from "../run/lease.ts";
import { excludedPaths, excluding, recordOutsideChanges } from "../run/outside-changes.ts";
import { claimFolder, folderOf, requireKept } from "../run/place.ts";
import { appendDecided, readAt } from "../run/recorder.ts";

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
  const folder = await deps.workspace(await folderOf(deps, seen));
  await requireKept(folder, seen);
  const [missing] = folder.lacks;
  if (missing !== undefined) throw new LoopError("invalid_input", missing);
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
      const looking = { id, deps, workspace, recorder: { record }, options: {} };
      const state = (await recordOutsideChanges(looking, before, look)) ?? before;
      const target = checkpointOf(state, n);
      // Throws while the state can still stay as it is, when the checkpoint files are gone.
      await workspace.diff(target.commit, target.commit);
      const journal = await Array.fromAsync(store.events(id));
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
