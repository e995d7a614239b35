import { setTimeout as delay } from "node:timers/promises";
import type { ProcessTree } from "@ccw-loop/processes";
import type { CodexLimits } from "../options.ts";
import type { AppServer } from "../process/app-server.ts";
import { EmptyResult } from "../protocol/results.ts";

const ASK_AGAIN_MS = 10;

export interface StopContext {
  server: AppServer;
  threadId: string;
  /** Everything that turns and commands start. */
  commands: ProcessTree;
  limits: Pick<CodexLimits, "interruptMs">;
}

export interface RunningTurn {
  /** Its id; null when it never began. */
  id: Promise<string | null>;
  /** Resolves when Codex says that it ended, or is gone itself. */
  ended: Promise<unknown>;
}

/**
 * Ends a turn and every process of its commands: interrupt, clean, look. Codex's interrupt leaves a running
 * command alive, and its cleaning misses what moved into another session. A Codex that does not end the turn
 * in time is killed.
 */
export async function stopTurn(context: StopContext, turn: RunningTurn): Promise<void> {
  const patience = new AbortController();
  const gentle = interrupt(context, turn, patience.signal).then(() => true);
  const late = delay(context.limits.interruptMs, false, { signal: patience.signal });
  const inTime = await Promise.race([gentle, late.catch(() => true)]);
  patience.abort();
  if (inTime) await context.commands.end({ graceMs: 0 });
  else await context.server.kill();
}

async function interrupt(
  context: StopContext,
  turn: RunningTurn,
  patience: AbortSignal,
): Promise<void> {
  const turnId = await turn.id;
  if (turnId === null) return;
  const { server, threadId } = context;
  const ended = turn.ended.then(() => true);
  for (;;) {
    const reply = await server.request("turn/interrupt", { threadId, turnId }, EmptyResult);
    // A turn that was only just accepted is refused as not active yet.
    if (reply.ok || patience.aborted || !server.alive) break;
    if (await Promise.race([ended, delay(ASK_AGAIN_MS, false)])) break;
  }
  await ended;
  await endBackgroundCommands(context);
}

/** Ends the commands that a turn left running. A Codex without this method is no reason to fail. */
export async function endBackgroundCommands({ server, threadId }: StopContext): Promise<void> {
  await server.request("thread/backgroundTerminals/clean", { threadId }, EmptyResult);
}
