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

export function isLimited(
  { agents }: Pick<LoopState, "agents">,
  name: string,
  at: string,
): boolean {
  const until = agents?.[name]?.limited_until;
  return until !== undefined && Date.parse(until) > Date.parse(at);
}

/**
 * The name of the agent that does a task or (undefined) any other work of the loop: the one that the task names, else
 * the loop's own. During its usage limit the operator's fallback does it, unless that is at its limit, too.
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
 * The tool that a task gets where nobody names one: that of the loop's own agent. An agent that no tool stands for,
 * such as a module, is written as `codex`, as earlier tools wrote for every task.
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
