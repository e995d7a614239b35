import type { Mutant } from "../mutant.ts";

const behaviour = "packages/agent-acp/test/fake.test.ts";

/** What the Agent Client Protocol leaves to the client. */
export const mutants: Mutant[] = [
  {
    name: "An agent that is asked for typed failures does not tell what its commands print.",
    file: "packages/agent-acp/src/session/connect.ts",
    find: "terminal_output_delta: true,",
    replace: "",
    test: {
      file: "packages/agent-acp/test/contract.test.ts",
      title: "tells a command's start, output and exit code",
    },
  },
  {
    name: "What a turn left running in the background lives on.",
    file: "packages/agent-acp/src/turn/run-turn.ts",
    find: "  const left = await own.endOthers();\n",
    replace: "  const left: number[] = [];\n",
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
    file: "packages/agent-acp/src/launch/asking.ts",
    find: "return ALLOWS_ALL.test(last) || AUTOMATIC.test(last)",
    replace: "return mode === ''",
    test: { file: behaviour, title: "is not used in a mode that asks nobody" },
  },
  {
    name: "A command that appears behind the end of an aborted turn counts as the agent's own.",
    file: "packages/agent-acp/src/session/conversation.ts",
    find: "if (!this.#wasCut) own.adopt();",
    replace: "own.adopt();",
    test: {
      file: "packages/agent-acp/test/conversation.test.ts",
      title: "ends before the next prompt where it appeared behind the end of an aborted turn",
    },
  },
  {
    name: "An editor's word for what it does is taken for a command of a shell.",
    file: "packages/agent-acp/src/approval/permission.ts",
    find: '...(kind === "execute" ? [decideCommand(',
    replace: "...(asked.command !== undefined ? [decideCommand(",
    test: {
      file: "packages/agent-acp/test/pure/permission.test.ts",
      title: "the stated policy: an editor whose word for what it does is command",
    },
  },
  {
    name: "A session is opened without what the protocol asks for.",
    file: "packages/agent-acp/src/session/connect.ts",
    find: "const place = { cwd, mcpServers: [] };",
    replace: "const place = { cwd };",
    test: { file: behaviour, title: "allows once what stays in the project, and never for longer" },
  },
  {
    name: "A client does not say that it understands a conversation made shorter, so nobody tells it.",
    file: "packages/agent-acp/src/session/connect.ts",
    find: "session: { compaction: {}, notices: {} },",
    replace: "session: { notices: {} },",
    test: {
      file: behaviour,
      title:
        "tells its instructions with the first prompt, and again when the conversation was made shorter",
    },
  },
];
