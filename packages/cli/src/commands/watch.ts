import { setTimeout as sleep } from "node:timers/promises";
import {
  type Driver,
  exitCodeOf,
  type LiveEvent,
  type LoopService,
  type LoopState,
  statusText,
} from "@ccw-loop/core";
import {
  nextCommands,
  progressSoFar,
  sanitizeJson,
  sanitizeLine,
  undrivenText,
  waitOf,
} from "@ccw-loop/view";
import { outcomeData, outcomeText } from "../output/outcome.ts";
import { openView } from "../output/run-view.ts";
import type { Context } from "../runtime/context.ts";
import { listen } from "../runtime/interrupts.ts";
import type { Answer } from "../runtime/perform.ts";

export interface WatchFlags {
  events?: true;
  /** False for `--no-wait`: leave when the loop waits or is paused, or nobody drives it. */
  wait: boolean;
}

/**
 * Follows a loop that somebody else drives until it ends; changes nothing. Says so when nobody drives it, and follows
 * whoever does next.
 */
export async function watch(context: Context, id: string, flags: WatchFlags): Promise<Answer> {
  const loops = await context.parts.loops();
  let state = await loops.get(id);
  const after = state.revision ?? 0;
  const view = await openView(context, await progressSoFar(loops, state), flags);
  using interrupts = listen(context.io, {});
  const done = new AbortController();
  const signal = AbortSignal.any([interrupts.signal, done.signal]);
  const isOver = () => hasEnded(state) || (!flags.wait && isResting(state));
  let isUndriven = false;
  const looking = followDriver(loops, id, signal, (driver) => {
    isUndriven = driver.undriven_since !== null;
    tellDriver(context, state, driver, flags);
    if (isUndriven && !flags.wait) done.abort();
  });
  if (!isOver()) tellRest(context, state, flags);
  try {
    if (!isOver()) {
      for await (const event of loops.watch(id, { after, signal })) {
        view.event(event);
        if (mayEnd(event)) state = await loops.get(id);
        if (isOver()) break;
        if (mayEnd(event)) tellRest(context, state, flags);
      }
    }
  } finally {
    done.abort();
    await looking;
    view.close();
  }
  state = await loops.get(id);
  const exit = interrupts.exit(exitCodeOf(state));
  if (flags.events) return { exit };
  const next = nextCommands(state, isUndriven);
  const text = outcomeText(state, context, next);
  return { data: outcomeData(state, context, next), text, exit };
}

/** Why nothing comes of a loop that rests, and what it goes on with. */
function tellRest(
  { say, hint, paintError }: Context,
  state: LoopState,
  { events }: WatchFlags,
): void {
  if (events || !isResting(state)) return;
  const waits = waitOf(state, new Date());
  const what = waits === null || waits === undefined ? statusText(state) : sanitizeLine(waits);
  const [next] = nextCommands(state);
  say(paintError("warning", `Loop ${state.loop_id}: ${what}`));
  say(hint(`Watching continues when it does. Go on with: ${next}`));
}

export function mayEnd(event: LiveEvent): boolean {
  return event.kind === "recorded" && /^(loop|waiting)\./.test(event.recorded.event.type);
}

export function hasEnded({ status }: LoopState): boolean {
  return status === "completed" || status === "failed" || status === "user_exit";
}

export function isResting({ status, waiting }: LoopState): boolean {
  return status !== "running" || waiting !== undefined;
}

const LOOK_MS = 1000;
/** From one driver to the next a loop is nobody's for a moment. */
const BETWEEN_MS = 2000;

/** Tells whenever nobody drives the loop any more although it is to be driven, and when somebody does again. */
async function followDriver(
  loops: LoopService,
  id: string,
  signal: AbortSignal,
  tell: (driver: Driver) => void,
): Promise<void> {
  let isUndriven = false;
  while (!signal.aborted) {
    // What keeps it from being asked ends the following itself, or passes.
    const driver = await loops.why(id).catch(() => null);
    if (signal.aborted) return;
    const since = driver?.undriven_since ?? null;
    const isLeft = since !== null && Date.now() - Date.parse(since) >= BETWEEN_MS;
    if (driver && isLeft !== isUndriven && (isLeft || driver.driven_by !== null)) {
      isUndriven = isLeft;
      tell(driver);
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

function tellDriver(
  { io, say, hint, paintError }: Context,
  state: LoopState,
  { driven_by, undriven_since }: Driver,
  { events, wait }: WatchFlags,
): void {
  const { loop_id: id } = state;
  if (events) {
    const at = new Date().toISOString();
    io.stdout.write(`${sanitizeJson({ kind: "driver", id, at, driven_by, undriven_since })}\n`);
  } else if (undriven_since === null) {
    say(paintError("name", sanitizeLine(`Loop ${id} is driven again, by ${driven_by}.`)));
  } else {
    const text = hint(undrivenText(state, undriven_since, new Date()));
    const more = wait ? "\nWatching continues when a process drives the loop." : "";
    say(paintError("warning", `${text}${more}`));
  }
}
