import { agentFlag, LoopError } from "@ccw-loop/core";
import { newLoopOf, settingsFor } from "../config/flags.ts";
import { outcomeData } from "../output/outcome.ts";
import type { LoopFlags } from "../program/options.ts";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";
import { taskInput } from "../runtime/text-input.ts";

export interface StartFlags extends LoopFlags {
  loopId?: string;
  worktree?: true;
  edit?: true;
}

/** Makes a loop and starts it for a supervisor to drive; does not wait for one. */
export async function start(
  context: Context,
  given: string | undefined,
  flags: StartFlags,
): Promise<Answer> {
  if (given === undefined && !flags.edit) {
    throw new LoopError("invalid_input", "Give start a TASK, or --edit to write one.");
  }
  const task = await taskInput(context, given, flags);
  const { values: all, origins } = await settingsFor(context, flags);
  // Nobody sits in front of a supervisor: only who says so is asked.
  const values = origins.get("mode") === "default" ? { ...all, mode: "auto" as const } : all;
  const loops = await context.parts.loops();
  const { loop_id: id } = await loops.create(newLoopOf(task, values, flags));
  const state = await loops.send(id, { type: "start" });
  const { driven_by } = await loops.why(id);
  const asks = `It asks before every action. See what with: ccw-loop show ${id}`;
  const isShared =
    state.settings?.repository !== undefined && (await context.parts.storeChoice()) !== undefined;
  const driver = isShared
    ? `A worker drives it: ccw-loop worker${agentFlag(state)}`
    : `A supervisor drives it: ccw-loop supervise${agentFlag(state)}`;
  const text = [
    `Loop ${id} is started. ${driver}`,
    `Follow it with: ccw-loop watch ${id}`,
    ...(values.mode === "interactive" ? [asks] : []),
  ].join("\n");
  return { data: { ...outcomeData(state, context), driven_by }, text: context.hint(text) };
}
