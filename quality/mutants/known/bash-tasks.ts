import type { Mutant } from "../mutant.ts";

const CORE = "packages/core/test/bash-tasks.test.ts";
const ORCHESTRATOR = "packages/orchestrator/test/bash-tasks.test.ts";

export const mutants: Mutant[] = [
  {
    name: "A file that an agent can write has a command of its own run.",
    file: "packages/core/src/state/field-sources.ts",
    find: 'keys: ["tool", "command"],',
    replace: "keys: [],",
    test: { file: CORE, title: "adds a command: the agent gets it as a task" },
  },
  {
    name: "A bash task that an agent proposes without a command stays one.",
    file: "packages/core/src/protocol/updates.ts",
    find: "return runs === null ? {} :",
    replace: "return runs === null && command !== undefined ? {} :",
    test: { file: CORE, title: "of a proposal is `command` alone: prose is never run" },
  },
  {
    name: "The text of a task becomes a command by its tool alone.",
    file: "packages/core/src/machine/decide.ts",
    find: "after.command = changes.description ?? after.command;",
    replace: "after.command = changes.description ?? description;",
    test: { file: CORE, title: "is missing of a task made bash by its tool alone" },
  },
  {
    name: "A client of the HTTP door changes a bash task that it may not add.",
    file: "packages/core/src/machine/bash-tasks.ts",
    find: "[...tasksOf(state), ...tasksOf(after)]",
    replace: "[]",
    test: { file: "packages/api/test/bash-tasks.test.ts", title: "edits one is refused" },
  },
  {
    name: "A command that fails completes its task.",
    file: "packages/orchestrator/src/actions/command-task.ts",
    find: "if (exit_code === 0) return null;",
    replace: "if (exit_code !== null) return null;",
    test: { file: ORCHESTRATOR, title: "that fails goes to DEBUG with its exit code" },
  },
  {
    name: "What an analysis changed stays.",
    file: "packages/orchestrator/src/actions/undo-changes.ts",
    find: "  await workspace.restore(before.commit);\n",
    replace: "",
    test: { file: ORCHESTRATOR, title: "a command that does fails, and the files are put back" },
  },
];
