import type { Mutant } from "../mutant.ts";

const behaviour = "packages/agent-acp/test/fake.test.ts";

/** What the Agent Client Protocol leaves to the client. */
export const mutants: Mutant[] = [
  {
    name: "What a turn left running in the background lives on.",
    file: "packages/agent-acp/src/turn/run-turn.ts",
    find: "  if (program.alive) await tree.endOthers(kept, { graceMs: 0 });\n",
    replace: "",
    test: { file: behaviour, title: "ends what a finished turn left running, and the agent stays" },
  },
  {
    name: "The agent is ended with what its turn started.",
    file: "packages/processes/src/process-tree.ts",
    find: "const found = living.filter(({ pid, started }) => kept.get(pid) !== started);",
    replace: "const found = living;",
    test: { file: behaviour, title: "ends what a finished turn left running, and the agent stays" },
  },
  {
    name: "A question is answered for all later ones, too.",
    file: "packages/agent-acp/src/approval/permission.ts",
    find: 'accept: "allow_once"',
    replace: 'accept: "allow_always"',
    test: { file: behaviour, title: "allows once what stays in the project, and never for longer" },
  },
  {
    name: "An agent works in a mode in which it asks nobody.",
    file: "packages/agent-acp/src/launch/profiles.ts",
    find: "return ASKS_NOBODY.test(last) ?",
    replace: "return last === mode && ASKS_NOBODY.test(last) && mode === '' ?",
    test: { file: behaviour, title: "is not used in a mode that asks nobody" },
  },
];
