import { setTimeout as delay } from "node:timers/promises";
import type { TurnEvent, TurnOptions, TurnResult } from "@ccw-loop/core";
import type { Failure } from "../failure/failure.ts";
import { NO_TRIES, recover } from "../failure/recovery.ts";
import type { CodexLimits } from "../options.ts";
import type { TurnEnd } from "../turn/run-turn.ts";
import type { Conversation } from "./conversation.ts";

type Failed = Extract<TurnEnd, { type: "failed" }>;

export interface PromptContext {
  conversation: Conversation;
  limits: CodexLimits;
  emit: (event: TurnEvent) => void;
}

/**
 * Brings one prompt to its result, through every failure that can be recovered from. Throws a LoopError for
 * the others, and `signal.reason` on abort. The conversation can be used again in any case.
 */
export async function runPrompt(
  { conversation, limits, emit }: PromptContext,
  prompt: string,
  { outputSchema, signal }: TurnOptions,
): Promise<TurnResult> {
  conversation.log.promptBegins();
  let tries = NO_TRIES;
  let text = prompt;
  for (;;) {
    const end = await attempt(conversation, text, outputSchema, signal);
    if (end.type === "completed") {
      return { text: end.text, usage: conversation.log.usage, turn_id: end.turnId };
    }
    if (end.type === "aborted" || signal.aborted) throw signal.reason;
    const next = recover(end.failure, tries, limits, Math.random());
    if (end.failure.kind === "crash") await conversation.drop();
    if (!end.hadSideEffects) await conversation.revert(end.turnId);
    if (next.do === "give_up") throw conversation.errorOf(end.failure);

    tries = next.tries;
    emit({ type: "turn.retried", reason: end.failure.message, attempt: next.attempt });
    text = nextPrompt(next.do, end, text, prompt);
    await delay(next.delayMs, undefined, { signal }).catch(() => undefined);
    if (next.do === "compact") await compact(conversation, end.failure, signal);
    if (signal.aborted) throw signal.reason;
  }
}

async function attempt(
  conversation: Conversation,
  text: string,
  outputSchema: TurnOptions["outputSchema"],
  signal: AbortSignal,
): Promise<TurnEnd> {
  const failure = await conversation.ready(signal);
  if (failure) return { type: "failed", failure, turnId: null, hadSideEffects: false };
  return conversation.turn(text, outputSchema, signal);
}

/** A turn that did nothing is simply sent again; after any other the agent has to know what happened. */
function nextPrompt(
  way: string,
  { failure, hadSideEffects }: Failed,
  text: string,
  prompt: string,
): string {
  if (way === "respawn") return crashPrompt(prompt);
  return hadSideEffects ? continuationPrompt(failure.message, prompt) : text;
}

/** Throws the failure that made it necessary when the conversation cannot be made shorter. */
async function compact(
  conversation: Conversation,
  failure: Failure,
  signal: AbortSignal,
): Promise<void> {
  const end = await conversation.compact(signal);
  if (end.type !== "failed") return;
  throw conversation.errorOf(end.failure.kind === "context" ? failure : end.failure);
}

/** For the new process of a conversation whose old one died in the middle of a turn. */
export function crashPrompt(prompt: string): string {
  return `The Codex process died in the middle of your previous turn. Part of its work may be done already: look at the working tree (git status, git diff) before you change anything, and do nothing twice. The task was:

${prompt}`;
}

/** For a turn that did some of its work before the model's side failed. */
export function continuationPrompt(reason: string, prompt: string): string {
  return `Your previous turn was cut off (${reason}). What it did is still there: look at the working tree before you change anything, and do nothing twice. Go on where it stopped. The task was:

${prompt}`;
}
