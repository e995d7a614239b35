import {
  type ActionName,
  type ActionResult,
  type AgentSession,
  isLoopError,
  LoopError,
  limitReached,
  outputSchemaFor,
  type ParsedActionResult,
  parseActionResult,
  parseReview,
  type ReviewAnswer,
  reviewSchema,
  type TurnEvent,
  type TurnResult,
} from "@ccw-loop/core";
import { type Execution, nowOf, type RunContext, report } from "../run/context.ts";
import { Interruption } from "../run/loop-watcher.ts";
import { startTurnDeadline, turnUsage } from "./deadline.ts";
import type { SessionKeeper } from "./session-keeper.ts";

/**
 * Asks the agent for one action and reads its ACTION_RESULT. Follows the seeds' error table: a turn that
 * takes too long is asked to converge, then retried once; a dead agent is re-spawned once with what it said
 * last; an answer that cannot be read gets one repair turn. What remains throws: an Interruption, or a LoopError.
 */
export async function askAgent(
  execution: Execution,
  action: ActionName,
  prompt: string,
): Promise<ActionResult> {
  const { prompts } = execution.ctx;
  const first = await withRetries(execution, action, prompt);
  const parsed = resultOf(first.text, action);
  if (parsed.ok) return parsed.result;

  const repair = await prompts.render("repair", { action, problem: parsed.problem });
  const second = await withRetries(execution, action, repair);
  const again = resultOf(second.text, action);
  if (again.ok) return again.result;
  throw new LoopError(
    "agent_bad_result",
    `The agent's answer to ${action} is no ACTION_RESULT, also after one repair turn: ${again.problem}`,
    { details: { text: first.text.slice(0, 4000) } },
  );
}

/** The ACTION_RESULT of this action; one of another action is an echo, not an answer. */
function resultOf(text: string, action: ActionName): ParsedActionResult {
  const parsed = parseActionResult(text);
  if (!parsed.ok || parsed.result.action === action || parsed.result.action === "UNKNOWN") {
    return parsed;
  }
  return { ok: false, problem: `It answers ${parsed.result.action}, but ${action} was asked for.` };
}

async function withRetries(
  execution: Execution,
  action: ActionName,
  prompt: string,
): Promise<TurnResult> {
  const { ctx } = execution;
  const { prompts } = ctx;
  let lastMessage = "";
  const onMessage = (event: TurnEvent) => {
    if (event.type === "message.completed") lastMessage = event.text;
  };
  try {
    return await oneTurn(execution, action, prompt, onMessage);
  } catch (error) {
    if (isLoopError(error, "agent_timeout")) {
      const text = await prompts.render("after-timeout", { prompt });
      return await oneTurn(execution, action, text, onMessage);
    }
    if (isLoopError(error, "agent_died")) {
      await ctx.sessions.active.close();
      const text = await prompts.render("after-crash", { prompt, said: lastMessage.slice(-4000) });
      return await oneTurn(execution, action, text, onMessage);
    }
    throw error;
  }
}

/** Every turn of an action needs room in the limits, as the action itself did. Throws an Interruption. */
function requireBudget({ ctx, state }: Execution): void {
  const limit = limitReached(ctx.recorder.upToDate(state));
  if (limit) throw new Interruption("limit", limit.message);
}

async function oneTurn(
  execution: Execution,
  action: ActionName,
  prompt: string,
  onMessage: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const { ctx, state } = execution;
  const { sessions } = ctx;
  const attached: Promise<unknown>[] = [];
  try {
    return await takeTurn(execution, prompt, {
      current: () => sessions.active.current,
      open: (signal, onEvent) => sessions.open(state, signal, onEvent),
      outputSchema: outputSchemaFor(action),
      onBegin: () => report(ctx, action, { type: "prompt.sent", text: prompt }),
      onEvent(event, abort) {
        onMessage(event);
        report(ctx, action, event);
        if (event.type !== "session.started") return;
        const attaching = attach(ctx, event.session_id);
        void attaching.catch(abort);
        attached.push(attaching);
      },
      // A copy of the loop's conversation begins behind a turn of it.
      keepsTurnId: () => sessions.name === null,
    });
  } finally {
    await Promise.all(attached);
  }
}

/** With whom a turn is taken, and who is told of it. */
export interface TurnSpec {
  /** The session as it is open now, to be asked to converge. */
  current: () => AgentSession | undefined;
  open: (signal: AbortSignal, onEvent: (event: TurnEvent) => void) => Promise<AgentSession>;
  outputSchema: Record<string, unknown>;
  /** The prompt is being sent. */
  onBegin: () => void;
  /** `abort` ends the turn with a reason. */
  onEvent: (event: TurnEvent, abort: (reason: unknown) => void) => void;
  /** Whether the turn's name is kept. */
  keepsTurnId: () => boolean;
}

/** One turn within the limits of the loop, which what it uses counts against. Throws like `AgentSession.run`, or an Interruption. */
export async function takeTurn(
  execution: Execution,
  prompt: string,
  { current, open, outputSchema, onBegin, onEvent: told, keepsTurnId }: TurnSpec,
): Promise<TurnResult> {
  requireBudget(execution);
  const { ctx } = execution;
  const deadline = startTurnDeadline(execution, async () => {
    await current()?.steer(await ctx.prompts.render("converge", {}));
  });
  const used = turnUsage(execution, deadline.abort);
  const onEvent = (event: TurnEvent) => {
    if (event.type === "usage.updated") used.update(event.usage);
    told(event, deadline.abort);
  };
  let begun = false;
  try {
    const session = await open(deadline.signal, onEvent);
    onBegin();
    ctx.watcher.requireLease();
    begun = true;
    const { signal } = deadline;
    const result = await session.run(prompt, { outputSchema, signal, onEvent });
    used.close();
    const usage = result.usage ?? used.last;
    const turn_id = keepsTurnId() ? (result.turn_id ?? null) : null;
    ctx.recorder.defer(turnCompleted(ctx, { usage, turn_id }));
    return result;
  } catch (error) {
    used.close();
    if (begun) ctx.recorder.defer(turnCompleted(ctx, { usage: used.last }));
    throw deadline.signal.aborted ? (deadline.signal.reason ?? error) : error;
  } finally {
    deadline.close();
  }
}

/** The conversation is on record as soon as it can be continued. */
async function attach(ctx: RunContext, session_id: string): Promise<void> {
  const event = ctx.sessions.attached(nowOf(ctx), session_id);
  await ctx.recorder.record((state) => {
    const known = event.agent === undefined ? state.agent : state.agents?.[event.agent];
    const isKnown = known?.session_id === session_id && known.driver === event.driver;
    return isKnown ? null : [event];
  });
}

function turnCompleted(ctx: RunContext, { usage, turn_id }: Omit<TurnResult, "text">) {
  return {
    type: "turn.completed" as const,
    at: nowOf(ctx),
    input_tokens: usage?.input_tokens ?? 0,
    cached_input_tokens: usage?.cached_input_tokens ?? 0,
    output_tokens: usage?.output_tokens ?? 0,
    total_tokens: usage?.total_tokens ?? 0,
    ...(usage?.cost_usd === undefined ? {} : { cost_usd: usage.cost_usd }),
    ...(turn_id ? { turn_id } : {}),
  };
}

/**
 * Events of a reviewer that may be logged. Its messages and commands may hold its tests, and the agent whose work it
 * reviews can read the log.
 */
const TOLD: readonly TurnEvent["type"][] = [
  ...(["session.started", "turn.retried", "context.compacted"] as const),
  ...(["limits.updated", "usage.updated", "warning.raised"] as const),
];

/**
 * Asks an agent for a review, in a conversation of its own that ends with the answer; one that cannot be read gets one repair
 * turn. Throws like a turn, and `agent_bad_result`.
 */
export async function askReviewer(
  execution: Execution,
  agent: string,
  prompt: string,
): Promise<ReviewAnswer> {
  const { prompts, sessions } = execution.ctx;
  const reviewer = sessions.reviewer(agent);
  try {
    const first = parseReview(await reviewTurn(execution, reviewer, prompt));
    if (first.ok) return first.review;
    const repair = await prompts.render("repair-review", { problem: first.problem });
    const again = parseReview(await reviewTurn(execution, reviewer, repair));
    if (again.ok) return again.review;
    throw new LoopError(
      "agent_bad_result",
      `Its answer is no review, also after one repair turn: ${again.problem}`,
    );
  } finally {
    await reviewer.forget();
  }
}

async function reviewTurn(
  execution: Execution,
  reviewer: SessionKeeper,
  prompt: string,
): Promise<string> {
  const { ctx, state } = execution;
  const { text } = await takeTurn(execution, prompt, {
    current: () => reviewer.current,
    open: (signal, onEvent) => reviewer.get(state, signal, onEvent),
    outputSchema: reviewSchema(),
    onBegin: () => report(ctx, "VALIDATE", { type: "prompt.sent", text: prompt }),
    onEvent(event) {
      if (TOLD.includes(event.type)) report(ctx, "VALIDATE", event);
    },
    keepsTurnId: () => false,
  });
  return text;
}
