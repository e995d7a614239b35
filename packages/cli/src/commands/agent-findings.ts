import { errorText, shellWord, toLoopError } from "@ccw-loop/core";
import { type Finding, note, ok, problem, type SettingValues } from "@ccw-loop/view";
import { settingsFor } from "../config/flags.ts";
import type { EffectiveSettings } from "../config/settings.ts";
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
  const again = `ccw-loop doctor --agent ${shellWord(values.agent)}`;
  const next = `Put this right, or choose another agent: ccw-loop agents list. Then look again with: ${again}`;
  return [
    ...(check.ok ? [ok("agent", `${name} can work here.`)] : []),
    ...check.problems.map(({ message }) => problem("agent", message, next)),
    ...(check.ok && check.login_tried === false ? [untriedLogin(values.agent)] : []),
    ...check.notes.map((text) => note("agent", text, null)),
  ];
}

/** The agent that is set; where nobody set one, and the default cannot work here, the first that can. */
export async function chooseAgent(
  context: Context,
  { values, origins }: EffectiveSettings,
): Promise<{ agent: string; works: boolean; findings: Finding[] }> {
  const look = async (agent: string) => {
    const found = await checkAgent(context, { ...values, agent }).catch((error: unknown) => [
      problem("agent", errorText(error), "See: ccw-loop agents list"),
    ]);
    return { agent, findings: found, works: found.every(({ status }) => status !== "problem") };
  };
  const first = await look(values.agent);
  if (first.works || origins.get("agent") !== "default") return first;
  const registry = await context.parts.agents();
  for (const { name, argument } of registry?.choices ?? []) {
    if (name === values.agent || argument !== undefined) continue;
    const { agent, findings, works } = await look(name);
    if (!works) continue;
    const message = `${values.agent}, the default, cannot work here; ${name} is set instead.`;
    return { agent, works, findings: [note("agent", message, null), ...findings] };
  }
  return first;
}

/** The agent that a new loop begins with: the configured one, else the first that can work here, which may take a minute. */
export async function findAgent(context: Context): Promise<string> {
  const effective = await settingsFor(context, {});
  if (effective.origins.get("agent") !== "default") return effective.values.agent;
  return (await chooseAgent(context, effective)).agent;
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
