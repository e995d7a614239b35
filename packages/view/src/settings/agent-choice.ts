export interface AgentChoice {
  /** As settings name it; before a `:` where it takes an argument. */
  name: string;
  /** What stands behind the `:`, in capitals: `FILE`. Such an agent is never named without. */
  argument?: string;
  /** What it is, in a few words. */
  describe: string;
}

/** As it is typed: `codex`, `scripted:FILE`. */
export function agentForm({ name, argument }: AgentChoice): string {
  return argument === undefined ? name : `${name}:${argument}`;
}

/** All of them in a sentence: `codex, scripted:FILE or mine`. */
export function agentForms(agents: readonly AgentChoice[]): string {
  const forms = agents.map(agentForm);
  const last = forms.pop() ?? "";
  return forms.length === 0 ? last : `${forms.join(", ")} or ${last}`;
}

/** The agent of that name, and its argument; undefined where none is called so. */
export function chosenAgent<A extends AgentChoice>(
  name: string,
  agents: readonly A[],
): { agent: A; argument: string } | undefined {
  for (const agent of agents) {
    const isBare = agent.argument === undefined;
    if (isBare && agent.name === name) return { agent, argument: "" };
    const argument = name.startsWith(`${agent.name}:`) ? name.slice(agent.name.length + 1) : "";
    if (!isBare && argument !== "") return { agent, argument };
  }
  return undefined;
}

/** What to say of a name that none of them has, as the end of a sentence. */
export function agentNameProblem(name: string, agents: readonly AgentChoice[]): string | undefined {
  if (chosenAgent(name, agents) !== undefined) return undefined;
  return `no such agent is registered; use ${agentForms(agents)}`;
}
