import type { Mutant } from "../mutant.ts";

const PROGRAM = "packages/cli/test/program.test.ts";
const MORE_TASKS = "packages/cli/test/more-tasks.test.ts";

export const mutants: Mutant[] = [
  {
    name: "The command line gives a task any tool, mode and on_error.",
    file: "packages/cli/src/program/loop-commands.ts",
    find: ".choices(TOOLS)",
    replace: "",
    test: { file: PROGRAM, title: '["tasks","add","a","x","--tool","hammer"]' },
  },
  {
    name: "A task of the command line cannot say what its failure does to the loop.",
    file: "packages/cli/src/program/loop-commands.ts",
    find: `
      .addOption(
        new Option("--on-error <what>", "what a failed task does to the loop").choices(ON_ERROR),
      );`,
    replace: ";",
    test: { file: MORE_TASKS, title: "a task takes every field that the dashboard gives one" },
  },
  {
    name: "Tasks that the agent of a script thinks of get a tool that there is none of.",
    file: "packages/core/src/machine/agents.ts",
    find: "AgentTool.safeParse(ownAgent(state)).data ?? DEFAULT_AGENT",
    replace: 'ownAgent(state).split(":", 1)[0] as AgentTool',
    test: { file: MORE_TASKS, title: "tasks come from an issue and from the agent" },
  },
  {
    name: "The JSON document of an error lacks the next step that the text has.",
    file: "packages/cli/src/runtime/perform.ts",
    find: "return { code, message, hint, details };",
    replace: "return { code, message, details };",
    test: { file: PROGRAM, title: "the next step is a field of its own" },
  },
  {
    name: "A loop that an operator stopped is called failed.",
    file: "packages/core/src/state/derived.ts",
    find: 'if (status === "failed" && outcome?.code === "stopped_by_user") return "stopped";',
    replace: "",
    test: {
      file: "packages/cli/test/run.test.ts",
      title: "calls a stopped loop stopped, never failed",
    },
  },
  {
    name: "Ctrl-C at the menu exits the loop instead of pausing it.",
    file: "packages/cli/src/commands/drive.ts",
    find: 'if (reply.why === "closed") return closed;',
    replace: 'if (reply.why !== "aborted") return closed;',
    test: { file: "packages/cli/test/menu.test.ts", title: "Ctrl-C at the menu pauses the loop" },
  },
  {
    name: "An ACTION_RESULT on one line is refused.",
    file: "packages/core/src/protocol/text-block.ts",
    find: "const lines = withLineEnds(text, FIELDS);",
    replace: "const lines = text;",
    test: {
      file: "packages/core/test/action-result.test.ts",
      title: "as documented, all on one line",
    },
  },
  {
    name: "A message that speaks of the protocol's fields is cut there.",
    file: "packages/core/src/protocol/text-block.ts",
    find: "return ended && !filesLast && parts.every((part) => part !== undefined);",
    replace: "return !ended && parts.length === 0;",
    test: {
      file: "packages/core/test/action-result.test.ts",
      title: "what a message says of the protocol stays in the message",
    },
  },
  {
    name: "The reason of a waiver is taken for a test command.",
    file: "packages/core/src/machine/decide.ts",
    find: 'if (option === "waive_tests") return { waive_tests: said };',
    replace: 'if (option === "waive_tests") return { verify: said };',
    test: {
      file: "packages/orchestrator/test/sequences.test.ts",
      title: "a waiver is an option of the question, and its text the reason",
    },
  },
  {
    name: "A damaged loop's next step is printed twice in one line, and fails as it is printed.",
    file: "packages/cli/src/output/tables.ts",
    find: 'reason.includes("ccw-loop ") ? "" : ',
    replace: "",
    test: {
      file: "packages/cli/test/next-steps.test.ts",
      title: "what is printed about a damaged loop runs as it is printed",
    },
  },
  {
    name: "The footer names a key for help that a field takes as text.",
    file: "apps/tui/src/app/hints.tsx",
    find: "!writes || !isTyping(name)",
    replace: "true",
    test: {
      file: "apps/tui/test/create-screen.test.ts",
      title: "help stays within reach of a field, which takes a question mark as text",
    },
  },
];
