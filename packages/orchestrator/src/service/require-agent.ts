import { LoopError, type Settings } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

/** Refuses settings that name no agent there is: the loop would fail as soon as somebody drives it. */
export function requireAgent(
  { agentProblem }: Pick<OrchestratorDeps, "agentProblem">,
  { agent }: Settings = {},
): void {
  const problem = agent === undefined ? undefined : agentProblem(agent);
  if (problem === undefined) return;
  throw new LoopError(
    "invalid_input",
    `settings.agent cannot be ${JSON.stringify(agent)}: ${problem}.`,
    { details: { fields: ["settings.agent"] } },
  );
}
