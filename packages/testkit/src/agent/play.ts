import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { LoopError, type TokenUsage, type TurnEvent } from "@ccw-loop/core";
import type { Commands } from "../process/commands.ts";
import { appendText, deleteFile, replaceText, writeWhole } from "./edit-file.ts";
import {
  type AgentScript,
  firstMissing,
  type ScriptedUsage,
  type Step,
  type Turn,
} from "./script-schema.ts";

/** A turn of the script and its place in it, counted from 0. */
export interface ChosenTurn {
  turn: Turn;
  index: number;
}

/**
 * The first turn that is not used up and whose `when` fits the prompt. Throws `agent_failed` when there is
 * none, or when the prompt lacks what the turn expects.
 */
export function chooseTurn(
  { turns }: AgentScript,
  used: readonly number[],
  prompt: string,
  source: string,
): ChosenTurn {
  const index = turns.findIndex(
    (turn, i) => !used.includes(i) && (!turn.when || firstMissing(turn.when, prompt) === undefined),
  );
  const turn = turns[index];
  if (!turn) {
    const left = turns.length - used.length;
    const why =
      left === 0
        ? `is exhausted: all of its ${turns.length} turns were played`
        : `has no turn for this prompt; its other ${left} wait for another one`;
    throw new LoopError(
      "agent_failed",
      `The agent script ${source} ${why}. The prompt began with: ${beginning(prompt)}`,
    );
  }
  const missing = firstMissing(turn.expect ?? [], prompt);
  if (missing !== undefined) {
    throw new LoopError(
      "agent_failed",
      `Turn ${index + 1} of the agent script ${source} expects ${JSON.stringify(missing)} in the prompt, which began with: ${beginning(prompt)}`,
    );
  }
  return { turn, index };
}

/** Plays the steps, then says the final message. Answers its text, or the error the script ends with. */
export async function playTurn(
  { turn, index }: ChosenTurn,
  context: TurnContext,
): Promise<string | LoopError> {
  for (const step of turn.steps) {
    const end = await playStep(step, context);
    if (end) return end;
    context.signal.throwIfAborted();
  }
  const text = finalText(turn, index);
  await say(text, 0, context);
  return text;
}

function finalText({ action, answer, rubbish }: Turn, index: number): string {
  if (rubbish !== undefined) {
    const hash = createHash("shake256", { outputLength: rubbish }).update(`rubbish ${index}`);
    return hash.digest().toString("latin1");
  }
  return typeof answer === "object" ? JSON.stringify({ action, ...answer }) : (answer ?? "");
}

function beginning(prompt: string): string {
  return JSON.stringify(prompt.length > 200 ? `${prompt.slice(0, 200)}…` : prompt);
}

/** The longest timer there is; unlike a listener it keeps the process alive. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** What the steps of a turn work with. */
export interface TurnContext {
  cwd: string;
  signal: AbortSignal;
  emit: (event: TurnEvent) => void;
  processes: Commands;
  steering: SteeringInbox;
  /** Factor for every wait: 1 as written, 0 without waiting. */
  pace: number;
  now: () => Date;
}

/** Does one step. Answers the error that the script wants the turn to end with, or null to go on. */
export async function playStep(step: Step, context: TurnContext): Promise<LoopError | null> {
  const { cwd, signal, emit, processes, steering } = context;
  if (step.write) await writeWhole(cwd, step.write.path, step.write.content);
  if (step.replace) await replaceText(cwd, step.replace);
  if (step.append) await appendText(cwd, step.append.path, step.append.text);
  if (step.delete !== undefined) await deleteFile(cwd, step.delete);
  const edited = (step.write ?? step.replace ?? step.append)?.path ?? step.delete;
  if (edited !== undefined) emit({ type: "files.changed", paths: [edited] });
  if (step.run !== undefined) {
    const command = step.run;
    emit({ type: "command.started", command });
    const exit_code = await processes.run(command, cwd, (text) => {
      emit({ type: "command.output", text });
    });
    signal.throwIfAborted();
    emit({ type: "command.completed", command, exit_code });
  }
  if (step.background) {
    const { command, setsid } = step.background;
    emit({ type: "command.started", command });
    await processes.runInBackground(command, cwd, { orphan: setsid });
    emit({ type: "command.completed", command, exit_code: 0 });
  }
  if (step.say) await say(step.say.text, step.say.over_ms, context);
  if (step.wait !== undefined) await pause(step.wait, context);
  if (step.use) emit({ type: "usage.updated", usage: tokenUsage(step.use) });
  if (step.expect_steer) await steering.expect(step.expect_steer, signal);
  if (step.hang) await delay(MAX_TIMER_MS, undefined, { signal });
  if (step.crash) {
    await processes.end();
    return new LoopError("agent_died", "The scripted agent died, as its script says.");
  }
  return step.fail ? failure(step.fail, context) : null;
}

/** Streams a message word by word, then whole. */
export async function say(text: string, over_ms: number, context: TurnContext): Promise<void> {
  const words = text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
  for (const word of words) {
    await pause(over_ms / words.length, context);
    context.emit({ type: "message.delta", text: word });
  }
  context.emit({ type: "message.completed", text });
}

/** As the agent's port spells it. */
export function tokenUsage({ input, cached, output, cost }: ScriptedUsage): TokenUsage {
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    total_tokens: input + output,
    ...(cost === undefined ? {} : { cost_usd: cost }),
  };
}

async function pause(ms: number, { pace, signal }: TurnContext): Promise<void> {
  if (ms * pace > 0) await delay(ms * pace, undefined, { signal });
}

function failure(fail: NonNullable<Step["fail"]>, { now, emit }: TurnContext): LoopError {
  const { code, message = `The scripted agent fails with ${code}, as its script says.` } = fail;
  if (fail.resets_in === undefined) return new LoopError(code, message);
  const resets_at = new Date(Math.round(now().getTime() + fail.resets_in * 1000)).toISOString();
  emit({ type: "limits.updated", limits: { used_percent: 100, resets_at } });
  return new LoopError(code, message, { details: { resets_at } });
}

export type SteeringInbox = ReturnType<typeof steeringInbox>;

/** What the running turn was told on the way. */
export function steeringInbox() {
  const texts: string[] = [];
  const changes = new EventEmitter();
  return {
    add(text: string): void {
      texts.push(text);
      changes.emit("added");
    },
    /** Resolves as soon as one text has all of `patterns`; rejects when `signal` aborts. */
    async expect(patterns: readonly string[], signal: AbortSignal): Promise<void> {
      while (!texts.some((text) => firstMissing(patterns, text) === undefined)) {
        await once(changes, "added", { signal });
      }
    },
  };
}
