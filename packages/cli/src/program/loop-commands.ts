import { Argument, type Command, Option } from "commander";
import {
  AGENT,
  AGENT_MODULE,
  addEvents,
  addSandbox,
  addSettings,
  type CommandAction,
  each,
  loopCommand,
  notEmpty,
  TEXT_FORMS,
  wholeNumber,
  zeroOrMore,
} from "./options.ts";

/** The words that these options take: those of core and view, which are not loaded before a command runs. */
export const STATUSES = ["created", "running", "paused", "completed", "failed", "user_exit"];
export const TOOLS = ["bash", "gemini", "qwen", "codex", "claude", "opencode", "copilot"];
export const MODES = ["analysis", "write", "review"];
export const ON_ERROR = ["continue", "pause", "fail_fast"];
export const SKILL_AGENTS = ["codex", "claude"];
export const FORMATS = ["markdown", "junit"];

/** Commands that read and change nothing. */
export function addReadCommands(program: Command, act: CommandAction): void {
  program
    .command("list")
    .description("loops of this project, newest change first")
    .addOption(new Option("--status <status>", "only loops with this status").choices(STATUSES))
    .option("--tag <tag>", "only loops with this tag")
    .option("--search <text>", "only loops with this text in id, title or description")
    .option("--limit <n>", "at most this many", wholeNumber, 50)
    .option("--offset <n>", "leave out this many", zeroOrMore, 0)
    .action(act(async () => (await import("../commands/list.ts")).list));

  loopCommand(program, "show", "everything that matters about one loop")
    .option("--receipt", "the proof of its last test run")
    .action(act(async () => (await import("../commands/show.ts")).show));

  loopCommand(program, "why", "what the loop would do next, and why").action(
    act(async () => (await import("../commands/show.ts")).why),
  );

  loopCommand(program, "logs", "what the agent and the tests did and said")
    .option("-f, --follow", "go on as more arrives")
    .option("--raw", "print the records as lines of JSON")
    .action(act(async () => (await import("../commands/logs.ts")).logs));

  const replay = loopCommand(program, "replay", "play a recorded loop again, without its agent")
    .option("--at <n>", "stop behind this checkpoint", zeroOrMore)
    .option("--speed <n>", "so many times as fast as it was", wholeNumber, 10);
  addEvents(replay).action(act(async () => (await import("../commands/replay.ts")).replay));
}

/** Commands that ask something of a loop, whoever drives it. */
export function addControlCommands(program: Command, act: CommandAction): void {
  const ask = loopCommand.bind(null, program);

  ask("pause", "stop the running action; resume repeats it")
    .option("--reason <text>", "kept with the loop", notEmpty)
    .action(act(async () => (await import("../commands/control.ts")).pause));
  ask("stop", "end the loop for good")
    .option("--reason <text>", "kept with the loop", notEmpty)
    .action(act(async () => (await import("../commands/control.ts")).stop));
  ask("exit", "exit an interactive loop; resume it later").action(
    act(async () => (await import("../commands/control.ts")).exit),
  );
  ask("answer", "answer the question that a loop waits for")
    .argument("[text]", `answer: ${TEXT_FORMS}`, notEmpty)
    .option(
      "--waive-tests <reason>",
      "to the question for tests: continue without any, and say why (as the answer: text, @FILE or -)",
      notEmpty,
    )
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
  const about = loopCommand.bind(null, tasks);
  const fields = (command: Command) =>
    command
      .addOption(
        new Option(
          "--tool <name>",
          "the agent that does it, or bash: a command, run as it is",
        ).choices(TOOLS),
      )
      .addOption(new Option("--mode <mode>", "analysis: no file may change").choices(MODES))
      .option("--prompt-template <text>", "further instructions for the agent")
      .option(
        "--command <command>",
        "command of a bash task; for other tools the agent is told it",
        notEmpty,
      )
      .addOption(
        new Option("--on-error <what>", "what a failed task does to the loop").choices(ON_ERROR),
      );

  about("list", "tasks in their order").action(
    act(async () => (await import("../commands/tasks.ts")).list),
  );
  fields(
    about("add", "add a task at the end")
      .argument("<description>", `what is to be done: ${TEXT_FORMS}`, notEmpty)
      .option("--task-id <id>", "id of the new task; made up when not given"),
  ).action(act(async () => (await import("../commands/tasks.ts")).add));
  fields(
    about("edit", "change a task")
      .argument("<task>", "task")
      .option("--description <text>", "what is to be done", notEmpty),
  ).action(act(async () => (await import("../commands/tasks.ts")).edit));
  about("remove", "remove a task")
    .argument("<task>", "task")
    .action(act(async () => (await import("../commands/tasks.ts")).remove));
  about("import", "add the tasks of an issue's solution in .workflow/issues")
    .argument("<issue>", "issue", notEmpty)
    .action(act(async () => (await import("../commands/tasks.ts")).importFrom));
  const generate = about("generate", "ask the loop's agent which tasks are missing, and add them")
    .option("--count <n>", "maximum number of tasks", wholeNumber)
    .option("--agent <module>", AGENT_MODULE, each);
  addSandbox(generate).action(act(async () => (await import("../commands/tasks.ts")).generate));
  about("reorder", "put these tasks first, in this order")
    .argument("<tasks...>", "tasks")
    .action(act(async () => (await import("../commands/tasks.ts")).reorder));
}

const VERIFY_EXITS = `
Exit codes: 0 it stands, 1 it does not (edited, other files, other results), 2 it cannot be told here (the start is not in
  the repository, the tests cannot be run)`;

/** Commands about the proof of a loop, and about the files as they were behind each action. */
export function addHistoryCommands(program: Command, act: CommandAction): void {
  const about = loopCommand.bind(null, program);

  about(
    "receipt",
    "print the newest receipt, sealed, as a file that verify reads elsewhere",
  ).action(act(async () => (await import("../commands/verify.ts")).receipt));
  about("report", "how a loop ended and what proves it, for a CI: as Markdown or JUnit XML")
    .addOption(formatOption().default("markdown"))
    .action(act(async () => (await import("../commands/verify.ts")).report));
  program
    .command("verify")
    .description("run the square again in clean rooms, and say whether the proof stands")
    .argument("<receipt>", "loop, or a file that `ccw-loop receipt` wrote")
    .option("--repo <folder>", "check the files of this repository instead of those here", notEmpty)
    .option(
      "--command <command>",
      "test command; default: the loop's own, or for a file the one detected at its start commit",
      notEmpty,
    )
    .addOption(formatOption())
    .option("--key <file>", "the key it was sealed with, where it is not your own", notEmpty)
    .addHelpText("after", VERIFY_EXITS)
    .action(act(async () => (await import("../commands/verify.ts")).verify));
  about("timeline", "every action: what it changed, what the tests said, what it used").action(
    act(async () => (await import("../commands/checkpoints.ts")).timeline),
  );
  about("diff", "what changed between two checkpoints, as a patch")
    .argument(
      "[range]",
      "A..B, A.. (or just A) or ..B: numbers of checkpoints; everything when not given",
    )
    .option("--stat", "only the files")
    .action(act(async () => (await import("../commands/checkpoints.ts")).diff));
  about("rewind", "take files and loop back to a checkpoint")
    .argument("<n>", "number of the checkpoint", zeroOrMore)
    .option("--force", "also over changes that the loop did not make; they are kept aside")
    .action(act(async () => (await import("../commands/checkpoints.ts")).rewind));
  about("fork", "begin a new loop at a checkpoint, in a worktree of its own")
    .argument("<n>", "number of the checkpoint", zeroOrMore)
    .option("--loop-id <id>", "id of the new loop; made up when not given")
    .option("--title <text>", "title of the new loop", notEmpty)
    .action(act(async () => (await import("../commands/checkpoints.ts")).fork));
  program
    .command("clean")
    .description("remove the worktrees of loops that have ended")
    .option("--dry-run", "only say what would be removed")
    .option("--force", "also where files lie that no branch has")
    .action(act(async () => (await import("../commands/delete.ts")).clean));
}

const formatOption = () =>
  new Option("--format <format>", "print it for a page or a reader of CI").choices(FORMATS);

/** Commands about where loops are kept. */
export function addStoreCommands(program: Command, act: CommandAction): void {
  const store = program.command("store").description("where the loops are kept");
  store
    .command("status")
    .description(
      "where that is, and whether this program can work with it (exit code 1: it cannot)",
    )
    .action(act(async () => (await import("../commands/store.ts")).status));
  store
    .command("migrate")
    .description("make the tables of a database, or bring them to the version of this program")
    .option("--grant-to <role>", "give this role what programs that drive loops need", notEmpty)
    .action(act(async () => (await import("../commands/store.ts")).migrate));
  program
    .command("migrate")
    .description("take over the loops that an older tool has left in this project")
    .option("--dry-run", "only say which they are")
    .action(act(async () => (await import("../commands/migrate.ts")).migrate));
  program
    .command("export")
    .description("write loops with their history and logs into a file")
    .usage("[options] (<id...> | --all) <file>")
    .argument("<id...>", "loops, and at last the file")
    .option("--all", "every loop there is")
    .action(act(async () => (await import("../commands/archive.ts")).exportLoops));
  program
    .command("import")
    .description("take in the loops of such a file; what ran is paused")
    .argument("<file>", "file that `ccw-loop export` wrote", notEmpty)
    .action(act(async () => (await import("../commands/archive.ts")).importLoops));
}

/** Commands about the tool itself. */
export function addToolCommands(program: Command, act: CommandAction): void {
  const init = program
    .command("init")
    .description("prepare a project: settings, what git ignores, and a look at tests and agent")
    .addOption(
      new Option("--skill <agents...>", "also give these agents a skill that starts loops").choices(
        SKILL_AGENTS,
      ),
    );
  addSandbox(addSettings(init)).action(act(async () => (await import("../commands/init.ts")).init));

  const doctor = program
    .command("doctor")
    .description("check what a loop needs here, and say how to get it")
    .option("--agent <name>", AGENT);
  addSandbox(doctor)
    .option("--reap", "end processes that loops have left running")
    .action(act(async () => (await import("../commands/doctor.ts")).doctor));

  const agents = program.command("agents").description("the agents that there are");
  addSandbox(
    agents.command("list").description("which agents can work here, and what the others lack"),
  ).action(act(async () => (await import("../commands/agents.ts")).list));
  addSandbox(
    agents
      .command("test")
      .description(
        "have an agent do what loops need of it, in six short turns in a folder of their own",
      )
      .argument("<agent>", AGENT, notEmpty)
      .option("--model <name>", "model that the agent uses", notEmpty),
  ).action(act(async () => (await import("../commands/agents.ts")).test));

  const config = program.command("config").description("settings");
  const show = config
    .command("show")
    .description("every setting with its value and where it comes from");
  addSandbox(addSettings(show)).action(
    act(async () => (await import("../commands/config.ts")).show),
  );
  config
    .command("test-webhook")
    .description("send a sample to a webhook of your own configuration")
    .argument("<name>", "name of the webhook", notEmpty)
    .action(act(async () => (await import("../commands/config.ts")).testWebhook));

  program
    .command("completion")
    .description("print a script that completes commands, options and loops")
    .addArgument(new Argument("<shell>", "shell").choices(["bash", "zsh", "fish"]))
    .action(act(async () => (await import("../commands/completion.ts")).completion));
}
