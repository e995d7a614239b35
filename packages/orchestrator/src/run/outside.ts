import {
  type FileChange,
  hasPassed,
  isLoopError,
  type LoopEvent,
  type LoopState,
  outsideText,
  type StoredLoop,
  type Workspace,
} from "@ccw-loop/core";
import { type CheckpointContext, makeCheckpoint } from "../proof/keep-files.ts";
import { changesBetween, startTree } from "../proof/start.ts";
import { nowOf } from "./context.ts";

/** How many files an event names; it counts all of them. */
const NAMED = 100;
/** How many passing test runs in a row may be of no use before a person is asked. */
const OUTDATED_RUNS = 2;

/** Whoever looks at a loop's files between its turns and test runs. */
export interface FileObserver extends CheckpointContext {
  record(decide: (state: LoopState) => readonly LoopEvent[] | null): Promise<StoredLoop>;
}

/** What lies there now, and whether the loop was being driven since its last turn or test run. */
export interface FilesNow {
  tree: string;
  driven: boolean;
}

/**
 * Records what changed since the loop's last turn or test run ended: it is nobody's work. Answers with the state
 * behind it; null where nothing changed, or nobody knows what its last turn left.
 */
export async function recordOutsideChanges(
  at: FileObserver,
  state: LoopState,
  { tree, driven }: FilesNow,
): Promise<LoopState | null> {
  const from = state.workspace?.seen ?? null;
  if (from === null || from === tree) return null;
  const files = await changesBetween(at, from, tree);
  if (files === null || files.length === 0) {
    const event = { type: "workspace.measured", at: nowOf(at), tree } as const;
    return (await at.record(() => [event])).state;
  }
  const changed: LoopEvent = {
    type: "workspace.changed",
    at: nowOf(at),
    from,
    tree,
    files: files.slice(0, NAMED),
    total: files.length,
    driven,
    outdates: state.status !== "completed" && (!driven || hasPassed(state)),
    start: await rebaseTree(at.workspace, startTree(state), from, tree),
    base_tree: await rebaseTree(at.workspace, state.action?.base_tree, from, tree),
  };
  const kept = await makeCheckpoint(at, null, { outside: true });
  return (await at.record(() => [changed, ...(kept ? [kept.event] : [])])).state;
}

/** The files that made passing runs worth nothing so often that a person has to look; null as long as it is not so. */
export async function filesThatOutdateRuns(
  at: Pick<FileObserver, "workspace">,
  state: LoopState,
  tree: string,
): Promise<FileChange[] | null> {
  const tested = state.receipts?.at(-1)?.tree_after;
  if (!hasPassed(state) || !tested || tested === tree) return null;
  if ((state.workspace?.outdated_runs ?? 0) < OUTDATED_RUNS) return null;
  return changesBetween(at, tested, tree);
}

/** Asks for what nobody here can do: that those files come to rest. */
export function askToStopWriters(
  at: string,
  state: LoopState,
  files: readonly FileChange[],
): LoopEvent {
  const runs = (state.workspace?.outdated_runs ?? 0) + 1;
  const changed = outsideText(files.length, files);
  const prompt =
    `The tests passed ${runs} times, but behind each run files were changed while nothing of this loop ran. ` +
    `Now ${changed}. Stop what writes them, move them out of the project or ignore them in git; then answer: again`;
  return {
    type: "waiting.started",
    at,
    waiting: { kind: "input", about: "files", since: at, prompt, options: ["again"] },
  };
}

/** A tree with what changed from outside done to it; null for one that is not known, or not any more. */
async function rebaseTree(
  workspace: Workspace,
  tree: string | null | undefined,
  from: string,
  to: string,
): Promise<string | null> {
  if (tree === null || tree === undefined) return null;
  try {
    return await workspace.withChanges(tree, from, to);
  } catch (error) {
    if (isLoopError(error, "invalid_input")) return null;
    throw error;
  }
}
