import {
  agentFlag,
  type LoopCommand,
  LoopError,
  type LoopState,
  statusText,
  withoutUndefined,
} from "@ccw-loop/core";
import { nextCommands } from "@ccw-loop/view";
import { outcomeData } from "../output/outcome.ts";
import type { Context } from "../runtime/context.ts";
import { requireKnownOrigin } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { textInput } from "../runtime/text-input.ts";

interface ReasonFlags {
  reason?: string;
}

export const pause = (context: Context, id: string, { reason }: ReasonFlags) =>
  send(context, id, { type: "pause", ...withoutUndefined({ reason }) });

export const stop = (context: Context, id: string, { reason }: ReasonFlags) =>
  send(context, id, { type: "stop", ...withoutUndefined({ reason }) });

export const exit = (context: Context, id: string) => send(context, id, { type: "exit" });

export async function answer(
  context: Context,
  id: string,
  text: string | undefined,
  { waiveTests }: { waiveTests?: string },
): Promise<Answer> {
  const given = text ?? waiveTests;
  if (given === undefined || (text !== undefined && waiveTests !== undefined)) {
    const message = `Give one answer: a text, or --waive-tests where there is nothing to test. The question stands in: ccw-loop show ${id}`;
    throw new LoopError("invalid_input", message);
  }
  const loops = await context.parts.loops();
  await requireKnownOrigin(await loops.get(id), "answer");
  const option = waiveTests === undefined ? {} : { option: "waive_tests" };
  return send(context, id, { type: "answer", text: await textInput(context, given), ...option });
}

/** Sends one command and says how the loop stands now. */
async function send(context: Context, id: string, command: LoopCommand): Promise<Answer> {
  const loops = await context.parts.loops();
  const state = await loops.send(id, command);
  const { driven_by } = await loops.why(id);
  const data = { ...outcomeData(state, context), driven_by };
  const text = `Loop ${id} is ${statusText(state)}. ${nextStep(state, driven_by)}`;
  return { data, text: context.hint(text) };
}

function nextStep(state: LoopState, drivenBy: string | null): string {
  if (state.status === "running" && drivenBy === null) {
    return `Go on with: ccw-loop run --loop-id ${state.loop_id}${agentFlag(state)}`;
  }
  return `Next: ${nextCommands(state)[0]}`;
}
