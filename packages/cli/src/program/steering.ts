import type { OnError, TaskMode, TaskTool } from "@ccw-loop/core";
import type { Command } from "commander";
import type { CommandAction } from "./act.ts";
import { notEmpty, oneOf, wholeNumber } from "./options.ts";

const TOOLS = {
  bash: true,
  gemini: true,
  qwen: true,
  codex: true,
  claude: true,
  opencode: true,
} as const;
const MODES = { analysis: true, write: true, review: true } as const;
const ON_ERROR = { continue: true, pause: true, fail_fast: true } as const;

/** Commands that ask something of a loop, whoever drives it. */
export function addControlCommands(program: Command, act: CommandAction): void {
  const ask = (name: string, description: string) =>
    program.command(name).description(description).argument("<id>", "loop");

  ask("pause", "stop the running action; resume repeats it")
    .option("--reason <text>", "kept with the loop", notEmpty)
    .action(act(async () => (await import("../commands/control.ts")).pause));
  ask("stop", "end the loop for good")
    .option("--reason <text>", "kept with the loop", notEmpty)
    .action(act(async () => (await import("../commands/control.ts")).stop));
  ask("exit", "leave an interactive loop, to go on some other time").action(
    act(async () => (await import("../commands/control.ts")).exit),
  );
  ask("answer", "answer the question that a loop waits for")
    .argument("<text>", "answer", notEmpty)
    .action(act(async () => (await import("../commands/control.ts")).answer));
  ask("delete", "remove a loop with everything that belongs to it")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("../commands/delete.ts")).remove));
  ask("recover", "rebuild a damaged loop; shows what it would do first")
    .option("-y, --yes", "do it")
    .action(act(async () => (await import("../commands/recover.ts")).recover));
  addTasks(program, act);
}

function addTasks(program: Command, act: CommandAction): void {
  const tasks = program.command("tasks").description("the tasks of a loop");
  const fields = (command: Command) =>
    command
      .addOption(oneOf<TaskTool>("--tool <name>", "tool of the task", TOOLS))
      .addOption(oneOf<TaskMode>("--mode <mode>", "how the tool is used", MODES))
      .option("--prompt-template <text>", "further instructions for the agent")
      .option("--command <command>", "command for the agent to use", notEmpty)
      .addOption(
        oneOf<OnError>("--on-error <what>", "what a failed task does to the loop", ON_ERROR),
      );

  tasks
    .command("list")
    .description("tasks in their order")
    .argument("<id>", "loop")
    .action(act(async () => (await import("../commands/tasks.ts")).list));
  fields(
    tasks
      .command("add")
      .description("add a task at the end")
      .argument("<id>", "loop")
      .argument("<description>", "what is to be done", notEmpty)
      .option("--task-id <id>", "id of the new task; made up when not given"),
  ).action(act(async () => (await import("../commands/tasks.ts")).add));
  fields(
    tasks
      .command("edit")
      .description("change a task")
      .argument("<id>", "loop")
      .argument("<task>", "task")
      .option("--description <text>", "what is to be done", notEmpty),
  ).action(act(async () => (await import("../commands/tasks.ts")).edit));
  tasks
    .command("remove")
    .description("remove a task")
    .argument("<id>", "loop")
    .argument("<task>", "task")
    .action(act(async () => (await import("../commands/tasks.ts")).remove));
  tasks
    .command("import")
    .description("add the tasks of an issue's solution in .workflow/issues")
    .argument("<id>", "loop")
    .argument("<issue>", "issue", notEmpty)
    .action(act(async () => (await import("../commands/tasks.ts")).importFrom));
  tasks
    .command("generate")
    .description("ask the loop's agent which tasks are missing, and add them")
    .argument("<id>", "loop")
    .option("--count <n>", "so many at most", wholeNumber)
    .action(act(async () => (await import("../commands/tasks.ts")).generate));
  tasks
    .command("reorder")
    .description("put these tasks first, in this order")
    .argument("<id>", "loop")
    .argument("<tasks...>", "tasks")
    .action(act(async () => (await import("../commands/tasks.ts")).reorder));
}
