import { shellWord, toLoopError } from "@ccw-loop/core";
import { type Finding, note, ok, problem, type SettingValues } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";

/** Whether the agent of these settings can work here, as findings. */
export async function checkAgent(
  { parts, root }: Context,
  values: SettingValues,
): Promise<Finding[]> {
  const agent = await parts.agent({
    agent: values.agent,
    ...(values.model === null ? {} : { model: values.model }),
  });
  const check = await agent.check(root);
  const name = `${agent.driver}${check.version === null ? "" : ` ${check.version}`}`;
  const next = `Put this right, then look again with: ccw-loop doctor --agent ${shellWord(values.agent)}`;
  return [
    ...(check.ok ? [ok("agent", `${name} can work here.`)] : []),
    ...check.problems.map(({ message }) => problem("agent", message, next)),
    ...(check.ok && check.login_tried === false ? [untriedLogin(values.agent)] : []),
    ...check.notes.map((text) => note("agent", text, null)),
  ];
}

/** Those that review the work or stand in for the agent. */
export async function checkOtherAgents(
  context: Context,
  values: SettingValues,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const role of ["review", "fallback"] as const) {
    const { [role]: agent } = values;
    if (agent === null || agent === values.agent) continue;
    const next = `Put this right, or leave out --${role}; see: ccw-loop agents list`;
    const findings = await checkAgent(context, { ...values, agent, model: null }).catch((error) => [
      problem("agent", toLoopError(error).message, next),
    ]);
    found.push(
      ...findings.map((one) => ({ ...one, check: one.check === "agent" ? role : one.check })),
    );
  }
  return found;
}

function untriedLogin(agent: string): Finding {
  const message = "Whether the agent is logged in was not tried: that takes a turn.";
  return note("login", message, `Try it with: ccw-loop agents test ${shellWord(agent)}`);
}
