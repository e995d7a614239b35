import type { Mutant } from "../mutant.ts";

const CORE = "packages/core/test/bash-tasks.test.ts";
const STORE = "packages/store-fs/test/bash-tasks.test.ts";
const ANALYSIS = "packages/orchestrator/test/analysis.test.ts";
const ORCHESTRATOR = "packages/orchestrator/test/bash-tasks.test.ts";

export const mutants: Mutant[] = [
  {
    name: "A file that an agent can write has a command of its own run.",
    file: "packages/core/src/state/field-sources.ts",
    find: 'same ? ["proposed"] : ["tool", "command", "proposed"]',
    replace: 'same ? ["proposed"] : []',
    test: { file: CORE, title: "adds a command: the agent gets it as a task" },
  },
  {
    name: "A file has a command run again that was run already.",
    file: "packages/core/src/state/field-sources.ts",
    find: 'theirs.status === "pending" ? ["status"] : []',
    replace: "[]",
    test: { file: CORE, title: "has a command run again: it stays what it was" },
  },
  {
    name: "What a file may say is not asked again behind the merge.",
    file: "packages/store-fs/src/external-edits/merge.ts",
    find: "return withAdmitted({ value, changed, kept, superseded }, ours);",
    replace: "return { value, changed, kept, superseded };",
    test: { file: STORE, title: "makes the task bash meanwhile: theirs is not run" },
  },
  {
    name: "A running loop out of a file alone has its commands run at once.",
    file: "packages/store-fs/src/repair/lost-history.ts",
    find: 'state.status === "running" && hasCommands(state) ? pausedUnproven(state) : state',
    replace: "state",
    test: { file: STORE, title: "and is running comes in paused" },
  },
  {
    name: "A command that failed counts as done, though only a fix was.",
    file: "packages/core/src/machine/evolve-action.ts",
    find: "if (taskCommand(failed) !== null) {",
    replace: "if (failed.tool === undefined) {",
    test: { file: CORE, title: "that failed is repeated when a fix of it is done" },
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
    file: "packages/core/src/machine/decide-tasks.ts",
    find: "(becomesOne || isOwnText ? text : undefined)",
    replace: "(becomesOne || isOwnText ? (text ?? description) : undefined)",
    test: { file: CORE, title: "is missing of a task made bash by its tool alone" },
  },
  {
    name: "A client of the HTTP door changes a bash task that it may not add.",
    file: "packages/core/src/machine/decide-tasks.ts",
    find: "[...tasksOf(state), ...tasksOf(after)]",
    replace: "[]",
    test: { file: "packages/api/test/bash-tasks.test.ts", title: "edits one is refused" },
  },
  {
    name: "A command that fails completes its task.",
    file: "packages/orchestrator/src/actions/run-command.ts",
    find: "if (exit_code === 0) return null;",
    replace: "if (exit_code !== null) return null;",
    test: { file: ORCHESTRATOR, title: "that fails goes to DEBUG with its exit code" },
  },
  {
    name: "A command of an agent without a sandbox is run, whatever it names.",
    file: "packages/orchestrator/src/actions/run-command.ts",
    find: "if (proposed && !session.exec) await requireAccepted(ctx, command);",
    replace: "",
    test: {
      file: ORCHESTRATOR,
      title: "is not run where no sandbox holds it and the policy declines it",
    },
  },
  {
    name: "The command of a task is started for a lease that lapsed.",
    file: "packages/orchestrator/src/actions/run-command.ts",
    find: "    ctx.watcher.requireLease();\n",
    replace: "",
    test: {
      file: "packages/orchestrator/test/held-lease.test.ts",
      title: "the command of a task is not started for a lease that lapsed",
    },
  },
  {
    name: "Only the first line of a command is seen to be one.",
    file: "packages/core/src/state/task.ts",
    find: 'replaceAll("\\n", " ⏎ ")',
    replace: 'replaceAll("\\n", " ")',
    test: { file: CORE, title: "of two lines is shown as both" },
  },
  {
    name: "What an analysis changed stays.",
    file: "packages/orchestrator/src/actions/undo-changes.ts",
    find: "  await workspace.restore(before, others);\n",
    replace: "",
    test: { file: ANALYSIS, title: "a command that does fails, and the files are put back" },
  },
  {
    name: "What an analysis changed stays when a person changed something else meanwhile.",
    file: "packages/orchestrator/src/actions/undo-changes.ts",
    find: "if (differing?.every(({ path }) => !changed.has(path))) {",
    replace: "if (differing?.length === 0) {",
    test: { file: ANALYSIS, title: "is put back though a person changed another file" },
  },
  {
    name: "A command in a file of the repository counts as one that its importer named.",
    file: "packages/orchestrator/src/service/add-tasks.ts",
    find: "...(runs === null ? {} : { proposed: true }),",
    replace: "",
    test: {
      file: "packages/orchestrator/test/more-tasks.test.ts",
      title: "an issue's command is nobody's whom we know",
    },
  },
  {
    name: "A link in a cloned repository brings a file of the user's into a prompt.",
    file: "packages/orchestrator/src/project-files.ts",
    find: "if (!file.startsWith(join(folder, sep)))",
    replace: "if (folder === file)",
    test: {
      file: "packages/orchestrator/test/project-files.test.ts",
      title: "a link that leads out of the project is refused",
    },
  },
];
