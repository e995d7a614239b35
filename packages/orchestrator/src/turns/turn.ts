import {
  type ActionName,
  type ActionResult,
  isLoopError,
  LoopError,
  type LoopState,
  limitsOf,
  outputSchemaFor,
  type ParsedActionResult,
  parseActionResult,
  type TurnEvent,
  type TurnResult,
} from "@ccw-loop/core";
import type { PromptLibrary } from "../prompts/library.ts";
import { nowOf, type RunContext, report } from "../run/context.ts";
import { Interruption } from "../run/control.ts";
import { startDeadline } from "./deadline.ts";

/** What one agent turn (with its retries and one repair) said. */
export interface TurnOutcome {
  result: ActionResult;
  /** The last final message, verbatim. */
  text: string;
}

/**
 * Asks the agent for one action and reads its ACTION_RESULT. Follows the seeds' error table: a turn that
 * takes too long is asked to converge, then retried once; a dead agent is re-spawned once with what it said
 * last; an answer that cannot be read gets one repair turn. What remains throws: an Interruption, or a LoopError.
 */
export async function askAgent(
  ctx: RunContext,
  prompts: PromptLibrary,
  state: LoopState,
  action: ActionName,
  prompt: string,
): Promise<TurnOutcome> {
  const first = await withRetries(ctx, prompts, state, action, prompt);
  const parsed = resultOf(first.text, action);
  if (parsed.ok) return { result: parsed.result, text: first.text };

  const repair = await prompts.render("repair", { action, problem: parsed.problem });
  const second = await withRetries(ctx, prompts, state, action, repair);
  const again = resultOf(second.text, action);
  if (again.ok) return { result: again.result, text: second.text };
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
  ctx: RunContext,
  prompts: PromptLibrary,
  state: LoopState,
  action: ActionName,
  prompt: string,
): Promise<TurnResult> {
  let said = "";
  const hear = (event: TurnEvent) => {
    if (event.type === "message.completed") said = event.text;
  };
  try {
    return await oneTurn(ctx, prompts, state, action, prompt, hear);
  } catch (error) {
    if (isLoopError(error, "agent_timeout")) {
      const text = await prompts.render("after-timeout", { prompt });
      return await oneTurn(ctx, prompts, state, action, text, hear);
    }
    if (isLoopError(error, "agent_died")) {
      await ctx.sessions.close();
      const text = await prompts.render("after-crash", { prompt, said: said.slice(-4000) });
      return await oneTurn(ctx, prompts, state, action, text, hear);
    }
    throw error;
  }
}

async function oneTurn(
  ctx: RunContext,
  prompts: PromptLibrary,
  state: LoopState,
  action: ActionName,
  prompt: string,
  hear: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const attached: Promise<unknown>[] = [];
  const onEvent = (event: TurnEvent) => {
    hear(event);
    report(ctx, action, event);
    if (event.type === "session.started") attached.push(attach(ctx, event.session_id));
  };
  ctx.sessions.listener = onEvent;
  const session = await ctx.sessions.get(state);
  ctx.sessions.listener = () => undefined;
  const deadline = startDeadline(ctx, limitsOf(state), state.usage?.active_ms ?? 0, async () => {
    await session.steer(await prompts.render("converge", {}));
  });
  report(ctx, action, { type: "prompt.sent", text: prompt });
  try {
    const result = await session.run(prompt, {
      outputSchema: outputSchemaFor(action),
      signal: deadline.signal,
      onEvent,
    });
    ctx.recorder.defer(turnCompleted(ctx, result));
    return result;
  } catch (error) {
    ctx.recorder.defer(turnCompleted(ctx, { text: "", usage: null }));
    throw deadline.signal.aborted ? (deadline.signal.reason ?? error) : error;
  } finally {
    deadline.close();
    await Promise.all(attached);
  }
}

/** The conversation is on record as soon as it can be continued. */
async function attach(ctx: RunContext, session_id: string): Promise<void> {
  const { driver } = ctx.sessions;
  await ctx.recorder
    .record((state) =>
      state.agent?.session_id === session_id && state.agent.driver === driver
        ? null
        : [{ type: "agent.attached", at: nowOf(ctx), driver, session_id }],
    )
    .catch((error: unknown) => {
      if (!(error instanceof Interruption)) throw error;
    });
}

function turnCompleted(ctx: RunContext, { usage }: TurnResult) {
  return {
    type: "turn.completed" as const,
    at: nowOf(ctx),
    input_tokens: usage?.input_tokens ?? 0,
    cached_input_tokens: usage?.cached_input_tokens ?? 0,
    output_tokens: usage?.output_tokens ?? 0,
    total_tokens: usage?.total_tokens ?? 0,
  };
}
