import type { z } from "zod";
import type { Known } from "../json.ts";
import type { LoopState } from "../state/loop-state.ts";
import { type DevelopTask, TaskTool } from "../state/task.ts";

/** The agent of a loop that names none. */
export const DEFAULT_AGENT = "codex";

/** The name of the loop's own agent: the one that works on everything that no task gives to another one. */
export function ownAgent({ settings }: Pick<LoopState, "settings">): string {
  return settings?.agent ?? DEFAULT_AGENT;
}

/** Whether an agent said that it does nothing more before a time that has not come. */
export function isLimited(
  { agents }: Pick<LoopState, "agents">,
  name: string,
  at: string,
): boolean {
  const until = agents?.[name]?.limited_until;
  return until !== undefined && Date.parse(until) > Date.parse(at);
}

/**
 * The name of the agent that does a task, or (undefined) anything else of the loop: the one that the task names, or the
 * loop's own; while that one's usage limit lasts, the one that the operator named in its stead, unless that is at its
 * limit, too.
 */
export function agentFor(
  state: LoopState,
  task: Pick<DevelopTask, "tool"> | undefined,
  at: string,
): string {
  const wanted = taskAgent(state, task) ?? ownAgent(state);
  const other = state.settings?.fallback;
  const goesOn =
    other !== undefined && isLimited(state, wanted, at) && !isLimited(state, other, at);
  return goesOn ? other : wanted;
}

const AgentTool = TaskTool.exclude(["bash"]);
type AgentTool = Known<z.infer<typeof AgentTool>>;

/**
 * The tool of a task for which nobody names one: the loop's own agent. `codex`, which every tool before us wrote by
 * itself, stands for an agent that is no tool's, such as a module.
 */
export function ownTool(state: Pick<LoopState, "settings">): AgentTool {
  return AgentTool.safeParse(ownAgent(state)).data ?? DEFAULT_AGENT;
}

/** The agent that a task is given to; undefined where that is the loop's own, or where no agent does it. */
export function taskAgent(
  state: Pick<LoopState, "settings">,
  task: Pick<DevelopTask, "tool"> | undefined,
): AgentTool | undefined {
  const { data } = AgentTool.safeParse(task?.tool);
  return data === ownTool(state) ? undefined : data;
}
