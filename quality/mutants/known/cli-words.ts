import type { Mutant } from "../mutant.ts";

const PROGRAM = "packages/cli/test/program.test.ts";

export const mutants: Mutant[] = [
  {
    name: "The command line gives a task any tool, mode and on_error.",
    file: "packages/cli/src/program/options.ts",
    find: "return new Option(flags, description).choices(Object.keys(words));",
    replace: "return new Option(flags, description);",
    test: { file: PROGRAM, title: '["tasks","add","a","x","--tool","hammer"]' },
  },
  {
    name: "Tasks that the agent of a script thinks of get a tool that there is none of.",
    file: "packages/orchestrator/src/service/tasks/generate-tasks.ts",
    find: 'TaskTool.safeParse(settings?.agent).data ?? "codex"',
    replace: '(settings?.agent?.split(":", 1)[0] ?? "codex") as TaskTool',
    test: {
      file: "packages/cli/test/more-tasks.test.ts",
      title: "tasks come from an issue and from the agent",
    },
  },
  {
    name: "The JSON document of an error lacks the next step that the text has.",
    file: "packages/cli/src/answer.ts",
    find: "return { code, message, hint, details };",
    replace: "return { code, message, details };",
    test: { file: PROGRAM, title: "the next step is a field of its own" },
  },
];
