import {
  checkpointOf,
  type LoopDiff,
  LoopError,
  type TimelineEntry,
  timelineOf,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { historyFolder, requireKept } from "../run/loop-folder.ts";
import { collect, requireGit } from "./rewind.ts";

export async function timelineOfLoop(
  { store }: OrchestratorDeps,
  id: string,
): Promise<TimelineEntry[]> {
  return timelineOf(await collect(store.events(id)));
}

export async function diffOfLoop(
  deps: OrchestratorDeps,
  id: string,
  range: { from?: number; to?: number },
): Promise<LoopDiff> {
  const { state } = await deps.store.read(id);
  const last = state.checkpoints?.at(-1);
  if (!last) {
    throw new LoopError(
      "invalid_input",
      `Loop ${id} has no checkpoint yet. Run it first: ccw-loop run --loop-id ${id}.`,
    );
  }
  const from = checkpointOf(state, range.from ?? 0);
  const to = checkpointOf(state, range.to ?? last.n);
  const workspace = await deps.workspace(await historyFolder(deps, id));
  await requireKept(workspace, state);
  requireGit(workspace);
  const diff = await workspace.diff(from.commit, to.commit);
  return { ...diff, from: from.n, to: to.n };
}
