import { createHash } from "node:crypto";
import { LoopError } from "@ccw-loop/core";
import { firstMissing } from "./pattern.ts";
import { playStep, say, type TurnContext } from "./play-step.ts";
import type { AgentScript, Turn } from "./script-schema.ts";

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
  stage: TurnContext,
): Promise<string | LoopError> {
  for (const step of turn.steps) {
    const end = await playStep(step, stage);
    if (end) return end;
    stage.signal.throwIfAborted();
  }
  const text = finalText(turn, index);
  await say(text, 0, stage);
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
