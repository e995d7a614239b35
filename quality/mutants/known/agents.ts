import type { Mutant } from "../mutant.ts";

/** Which agent works. */
export const mutants: Mutant[] = [
  {
    name: "Every task goes to the loop's own agent, whatever its tool.",
    file: "packages/orchestrator/src/turns/sessions.ts",
    find: "    this.#name = name === ownAgent(state) || this.#unusable.has(name) ? null : name;\n",
    replace: "    void [state, name];\n",
    test: {
      file: "packages/orchestrator/test/agents.test.ts",
      title: "a task is done by the agent that it names",
    },
  },
  {
    name: "A loop gives its work to an agent that is at its usage limit as well.",
    file: "packages/core/src/machine/agents.ts",
    find: " && !isLimited(state, other, at);",
    replace: ";",
    test: { file: "packages/core/test/agents.test.ts", title: "at their limits, codex at" },
  },
  {
    name: "A tool that every program wrote by itself takes the tasks of a module.",
    file: "packages/core/src/machine/agents.ts",
    find: "  return data === ownTool(state) ? undefined : data;\n",
    replace: "  return data;\n",
    test: { file: "packages/core/test/agents.test.ts", title: "agent ./mine.js, tool codex" },
  },
];
