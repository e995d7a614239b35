import { omit } from "../json.ts";
import { withStaleProof } from "../state/derived.ts";
import type { LoopState } from "../state/loop-state.ts";
import { OUTSIDE_KEPT, type OutsideChange, WorkspaceState } from "../state/workspace.ts";
import type { LoopEventOf } from "./events.ts";

/** A tree that differs from the one last tested, or an unknown tree, makes the last VALIDATE stale. */
export function withMeasuredTree(state: LoopState, tree: string | null): LoopState {
  const next = withWorkspace(state, tree === null ? { tree } : { tree, seen: tree });
  const receipt = state.receipts?.at(-1);
  if (!receipt || tree === null || receipt.tree_after === tree) return next;
  return withOutdatedProof(state, next);
}

/**
 * Where the loop works from now on. A clone that goes on from a checkpoint has nothing of an action that was cut off, and what
 * is installed there was installed anew for the files of the start.
 */
export function inWorktree(state: LoopState, event: LoopEventOf<"worktree.made">): LoopState {
  const { path, branch, machine, tree, installed, setup } = event;
  const next = withWorkspace(state, { path, branch, ...(machine ? { machine } : {}) });
  if (typeof tree !== "string") return next;
  const there = withMeasuredTree(next, tree);
  if (there.action) there.action = { ...there.action, base_tree: tree };
  if (there.baseline && installed !== undefined) {
    there.baseline = { ...there.baseline, installed, ...(setup ? { setup } : {}) };
  }
  return withoutConversations(there);
}

/** Those that agents had on another machine cannot be continued here. */
function withoutConversations(state: LoopState): LoopState {
  const { agent, agents, ...rest } = state;
  const none = { session_id: null, turn_id: null };
  const others = Object.entries(agents ?? {}).map(([name, one]) => [
    name,
    { ...one, session_id: null },
  ]);
  return {
    ...rest,
    ...(agent ? { agent: { ...omit(agent, "fork_of"), ...none } } : {}),
    ...(agents ? { agents: Object.fromEntries(others) } : {}),
  };
}

/** What changed from outside is named and counted; it may be what the last test run did not see. */
export function changedOutside(
  state: LoopState,
  event: LoopEventOf<"workspace.changed">,
): LoopState {
  const { tree, start, base_tree } = event;
  const outside = changedPaths(state.workspace?.outside, event);
  const next = withWorkspace(state, { tree, seen: tree, start, outside });
  if (next.action && base_tree) next.action = { ...next.action, base_tree };
  return event.outdates ? withOutdatedProof(state, next) : next;
}

/** Files that are measured no more; what lies there without them is what the loop left. */
export function excludeFiles(
  state: LoopState,
  { files, tree }: LoopEventOf<"files.left_out">,
): LoopState {
  const before = state.workspace?.left_out ?? [];
  const known = new Set(before.map(({ path }) => path));
  const left_out = [...before, ...files.filter(({ path }) => !known.has(path))];
  return withWorkspace(state, { left_out, tree, seen: tree });
}

/** The tree behind a turn or a test run; null where nobody knows it. */
export function withSeenTree(state: LoopState, tree: string | null): LoopState {
  if (state.workspace === undefined && tree === null) return state;
  return withWorkspace(state, { seen: tree });
}

/** The operator says the files no longer change: they are measured again, and counted anew. */
export function forgetRestlessFiles(state: LoopState): LoopState {
  if (!state.workspace) return state;
  const { left_out = [], ...rest } = omit(state.workspace, "outside", "outdated_runs");
  const outputs = left_out.filter(({ why }) => why === "output");
  return { ...state, workspace: { ...rest, ...(outputs.length > 0 ? { left_out: outputs } : {}) } };
}

/** Something was done since: test runs that count no more are counted anew. */
export function resetOutdatedRuns(state: LoopState): LoopState {
  if (!state.workspace?.outdated_runs) return state;
  return { ...state, workspace: omit(state.workspace, "outdated_runs") };
}

function withWorkspace(state: LoopState, changes: Partial<WorkspaceState>): LoopState {
  const before = state.workspace ?? WorkspaceState.parse({});
  return { ...state, workspace: { ...before, ...changes } };
}

/** A passing run that files outdate is counted: tests that are run again and again prove nothing. */
function withOutdatedProof(before: LoopState, next: LoopState): LoopState {
  const passed = before.receipts?.at(-1)?.passed === true;
  if (!passed || before.skill_state?.validate.stale !== false) return withStaleProof(next);
  const outdated_runs = (before.workspace?.outdated_runs ?? 0) + 1;
  return withStaleProof(withWorkspace(next, { outdated_runs }));
}

/** The newest last; the oldest are forgotten. */
function changedPaths(
  before: readonly OutsideChange[] = [],
  { files, at, driven }: LoopEventOf<"workspace.changed">,
): OutsideChange[] {
  const changed = new Set(files.map(({ path }) => path));
  const timesOf = new Map(before.map(({ path, times }) => [path, times]));
  const now = files.map(({ path }) => ({
    path,
    at,
    times: (timesOf.get(path) ?? 0) + (driven ? 1 : 0),
  }));
  return [...before.filter(({ path }) => !changed.has(path)), ...now].slice(-OUTSIDE_KEPT);
}
