import {
  type ActionName,
  hasPassed,
  LoopError,
  type LoopState,
  noProgressWaiting,
  type Selection,
  selectNextAction,
  type Waiting,
} from "@ccw-loop/core";
import { execute } from "../actions/execute.ts";
import { runMenu } from "../actions/menu.ts";
import { refusedReceipt } from "../proof/receipt.ts";
import { restoreFiles } from "./checkpoint.ts";
import { nowOf, type RunContext } from "./context.ts";
import type { Interruption } from "./loop-watcher.ts";
import {
  askToStopWriters,
  excludeOutputs,
  excludeRestless,
  type FilesNow,
  filesThatOutdateRuns,
  recordOutsideChanges,
} from "./outside-changes.ts";
import { waitEndsAt } from "./waits.ts";

/** A machine that slept, or whose clock was set, is noticed after so long at most. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Read → ask → do → record, until there is nothing to do here: the loop ended, was paused, or waits for a
 * person. Resuming after a crash is this same function; `cutOff` is why an action that is still open was not ended.
 */
export async function drive(ctx: RunContext, cutOff: string): Promise<LoopState> {
  await markInterrupted(ctx, cutOff);
  const { workspace, scope, watcher } = ctx;
  const holdLease = () => watcher.confirmLease();
  await restoreFiles(ctx.deps, ctx.id, { workspace, epoch: scope.epoch, holdLease });
  await excludeOutputs(ctx);
  for (let first = true, looked = false; ; ) {
    if (ctx.watcher.interruption) return stopDriving(ctx, ctx.watcher.interruption);
    const { changed } = ctx.watcher;
    const { state } = await ctx.deps.store.read(ctx.id);
    if (ctx.watcher.interruption) continue;
    if (ctx.options.leave?.aborted) return state;
    if (state.waiting && state.status === "running") {
      if (!(await handleWait(ctx, state, changed))) return state;
      continue;
    }
    const selection = selectNextAction(state);
    const { action } = selection;
    if (selection.asks) {
      await askForHelp(ctx);
      continue;
    }
    if (action === null) return state;
    if (action === "MENU") await runMenu(ctx, state);
    else {
      const tree = needsTree(state, selection, first) ? await workspace.tree() : null;
      // Once for each action: a file that changes all the time must not keep it from being begun.
      const look = tree !== null && !looked && { tree, driven: !first };
      if (look && (await noteOutsideChanges(ctx, state, action, look))) {
        looked = true;
        continue;
      }
      if (!restsOnReceipt(state, selection, first) || (await treeIsAsTested(ctx, state, tree))) {
        await execute(ctx, action, tree);
      }
    }
    first = false;
    looked = false;
  }
}

/** Whether files are other ones than the loop left; that is on record then, and may select another action. */
async function noteOutsideChanges(
  ctx: RunContext,
  state: LoopState,
  action: ActionName,
  look: FilesNow,
): Promise<boolean> {
  const restless = action === "COMPLETE" ? await filesThatOutdateRuns(ctx, state, look.tree) : null;
  if (restless !== null && restless.length > 0) {
    await ctx.recorder.record((newest) =>
      newest.status === "running" && !newest.waiting
        ? [askToStopWriters(nowOf(ctx), newest, restless)]
        : null,
    );
    return true;
  }
  const noted = await recordOutsideChanges(ctx, state, look);
  if (noted !== null) await excludeRestless(ctx, noted);
  return noted !== null;
}

/** Where it is known what the last turn or test run left, and where an action rests on what lies there. */
function needsTree(state: LoopState, selection: Selection, first: boolean): boolean {
  if (selection.action === "COMPLETE") return hasPassed(state);
  return Boolean(state.workspace?.seen) || restsOnReceipt(state, selection, first);
}

/** An action that its process did not live to end is marked before it is repeated. */
async function markInterrupted(ctx: RunContext, reason: string): Promise<void> {
  await ctx.recorder.record((state) => {
    if (!state.action || state.action.interrupted !== null) return null;
    const action = state.action.name;
    const cut = { reason, cause: "crash", active_ms: 0 } as const;
    return [{ type: "action.interrupted", at: nowOf(ctx), action, ...cut }];
  });
}

/** Without progress the loop asks a person, and says what was tried. */
async function askForHelp(ctx: RunContext): Promise<void> {
  await ctx.recorder.record((newest) => {
    if (selectNextAction(newest).asks === undefined) return null;
    const at = nowOf(ctx);
    return [{ type: "waiting.started", at, waiting: noProgressWaiting(newest, at) }];
  });
}

/** The caller's signal pauses the loop, so that nobody finds it running with nobody behind it. */
async function stopDriving(ctx: RunContext, interruption: Interruption): Promise<LoopState> {
  const { kind, message, cause } = interruption;
  if (kind === "lease_expired") throw interruption;
  if (kind === "lease_taken") throw new LoopError("fenced", `Loop ${ctx.id}: ${message}`);
  if (kind === "files") throw new LoopError("workspace_busy", `Loop ${ctx.id}: ${message}`);
  if (kind === "store") throw cause;
  const { state } = await ctx.recorder.record((newest) =>
    kind === "signal" && ctx.options.onAbort !== "release" && newest.status === "running"
      ? [{ type: "loop.paused", at: nowOf(ctx), reason: message }]
      : null,
  );
  return state;
}

/** False when nobody here can end the wait; else look at the loop again. */
async function handleWait(
  ctx: RunContext,
  state: LoopState,
  changed: Promise<void>,
): Promise<boolean> {
  const { waiting } = state;
  if (!waiting) return true;
  if (waiting.menu && ctx.options.choose) {
    await end(ctx, waiting, "menu");
    return true;
  }
  const until = waitEndsAt(waiting);
  if (until === null) return false;
  const left = until - ctx.deps.clock.now().getTime();
  if (left > 0) {
    if (ctx.options.waitForLimits === false) return false;
    const wake = new AbortController();
    void changed.then(() => wake.abort());
    await ctx.deps.clock.sleep(
      Math.min(left, LOOK_AGAIN_MS),
      AbortSignal.any([ctx.watcher.signal, wake.signal]),
    );
    return true;
  }
  await end(ctx, waiting, "reset");
  return true;
}

/** Ends this wait, unless the loop waits for something else by now. */
async function end(ctx: RunContext, { kind, since }: Waiting, reason: string): Promise<void> {
  await ctx.recorder.record(({ waiting }) =>
    waiting?.kind === kind && waiting.since === since
      ? [{ type: "waiting.ended", at: nowOf(ctx), reason }]
      : null,
  );
}

/**
 * COMPLETE after a pass is right only for the files that were tested. So is a new DEBUG of a failure, when it
 * comes first: a person may have repaired the files while nobody drove the loop.
 */
function restsOnReceipt(state: LoopState, { action, rule }: Selection, first: boolean): boolean {
  if (action === "COMPLETE") return hasPassed(state);
  return first && action === "DEBUG" && rule === 9 && state.action?.name !== "DEBUG";
}

/** A receipt tells of one tree only, and only what we sealed is one: else the loop validates again. */
async function treeIsAsTested(
  ctx: RunContext,
  state: LoopState,
  tree: string | null,
): Promise<boolean> {
  const key = await ctx.deps.sealKey();
  const refused = refusedReceipt(state, { key, at: nowOf(ctx) });
  if (refused) {
    await ctx.recorder.record((newest) =>
      newest.receipts?.at(-1)?.id === state.receipts?.at(-1)?.id ? [refused] : null,
    );
    return false;
  }
  if (tree === state.receipts?.at(-1)?.tree_after) return true;
  await ctx.recorder.record(() => [{ type: "workspace.measured", at: nowOf(ctx), tree }]);
  return false;
}
