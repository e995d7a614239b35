import { setTimeout as delay } from "node:timers/promises";
import { checkInterval } from "@ccw-loop/processes";
import { isDoneWithin } from "@ccw-loop/processes/json-rpc";
import { classifyTurnError, type Failure } from "../failure/failure.ts";
import type { AppServer, Reply } from "../process/app-server.ts";
import { EmptyResult, type EndedTurn, type Notification } from "../protocol.ts";
import type { ConversationSpec } from "../session/conversation-spec.ts";
import { finalMessage, TurnRecord } from "./turn-record.ts";

export interface TurnContext extends Pick<ConversationSpec, "commands" | "limits" | "sandbox"> {
  server: AppServer;
  threadId: string;
  signal: AbortSignal;
  /** Every notification about this conversation, until the answered function is called. */
  listen(listener: (notification: Notification) => void): () => void;
}

/** How a turn ended. `hadSideEffects`: it did something that a second try would do again. */
export type TurnEnd =
  | { type: "completed"; text: string; turnId: string | null }
  | { type: "aborted" }
  | { type: "failed"; failure: Failure; turnId: string | null; hadSideEffects: boolean };

type Verdict =
  | { type: "ended"; turn: EndedTurn }
  | { type: "aborted" }
  /** `running`: Codex still works on it, and has to be stopped. */
  | { type: "failed"; failure: Failure; running: boolean };

/**
 * Runs one turn to its end, whatever that is: its result, an error of Codex, the death of the process, one
 * of our limits, or the caller's abort. `begin` asks Codex for the turn and answers its id where it is told
 * one. No process of the turn is alive when this resolves.
 */
export async function runTurn(
  context: TurnContext,
  begin: () => Promise<Reply<string | null>>,
): Promise<TurnEnd> {
  const { server, limits, signal } = context;
  const record = new TurnRecord(performance.now());
  const { promise: verdict, resolve: resolveVerdict } = Promise.withResolvers<Verdict>();
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
  const { promise: id, resolve: resolveId } = Promise.withResolvers<string | null>();

  const look = () => {
    const failure = record.exceededLimit(performance.now(), limits, context.sandbox);
    if (failure) resolveVerdict({ type: "failed", failure, running: true });
  };
  const stopListening = context.listen((notification) => {
    record.observe(notification, performance.now());
    if (record.turnId !== null) resolveId(record.turnId);
    if (record.end) {
      resolveVerdict({ type: "ended", turn: record.end });
      resolveEnded();
    } else look();
  });
  const timer = setInterval(
    look,
    checkInterval(limits.silenceMs, limits.commandMs, limits.networkMs),
  );
  const abort = () => resolveVerdict({ type: "aborted" });
  signal.addEventListener("abort", abort, { once: true });
  void server.exited.then((failure) => {
    resolveVerdict({ type: "failed", failure, running: false });
    resolveEnded();
  });

  try {
    if (signal.aborted) return { type: "aborted" };
    const begun = begin().then((reply) => {
      if (!reply.ok) resolveVerdict({ type: "failed", failure: reply.failure, running: false });
      else if (reply.result !== null) record.turnId = reply.result;
      if (!reply.ok || reply.result !== null) resolveId(reply.ok ? reply.result : null);
    });
    const outcome = await verdict;
    const running = outcome.type === "aborted" || (outcome.type === "failed" && outcome.running);
    if (running) await stopTurn(context, { id, ended });
    else await Promise.all([begun, afterTurn(context, record)]);
    return endOf(outcome, record);
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", abort);
    stopListening();
  }
}

/** A turn may end with commands of it still running in the background. */
async function afterTurn(context: TurnContext, record: TurnRecord): Promise<void> {
  if (!record.ranCommands && record.tools.size === 0) return;
  await endBackgroundCommands(context);
  await context.commands.end({ graceMs: 0 });
}

function endOf(verdict: Verdict, { turnId, hadSideEffects, messages }: TurnRecord): TurnEnd {
  if (verdict.type === "aborted") return verdict;
  if (verdict.type === "ended" && verdict.turn.status === "completed") {
    return { type: "completed", text: finalMessage(verdict.turn.items, messages), turnId };
  }
  const failure = verdict.type === "failed" ? verdict.failure : failureOf(verdict.turn);
  return { type: "failed", failure, turnId, hadSideEffects };
}

function failureOf({ status, error }: EndedTurn): Failure {
  if (error) return classifyTurnError(error);
  return { kind: "other", message: `Codex ended the turn as ${status}` };
}

const ASK_AGAIN_MS = 10;

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
export async function stopTurn(context: TurnContext, turn: RunningTurn): Promise<void> {
  const { interruptMs } = context.limits;
  const gentle = interrupt(context, turn, AbortSignal.timeout(interruptMs));
  if (await isDoneWithin(interruptMs, gentle)) await context.commands.end({ graceMs: 0 });
  else await context.server.kill();
}

async function interrupt(
  context: TurnContext,
  turn: RunningTurn,
  timeout: AbortSignal,
): Promise<void> {
  const turnId = await turn.id;
  if (turnId === null) return;
  const { server, threadId } = context;
  const ended = turn.ended.then(() => true);
  for (;;) {
    const reply = await server.request("turn/interrupt", { threadId, turnId }, EmptyResult);
    // A turn that was only just accepted is refused as not active yet.
    if (reply.ok || timeout.aborted || !server.alive) break;
    if (await Promise.race([ended, delay(ASK_AGAIN_MS, false)])) break;
  }
  await ended;
  await endBackgroundCommands(context);
}

/** Ends the commands that a turn left running. A Codex without this method is no reason to fail. */
async function endBackgroundCommands({ server, threadId }: TurnContext): Promise<void> {
  await server.request("thread/backgroundTerminals/clean", { threadId }, EmptyResult);
}
