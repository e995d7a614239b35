import { type Command, Option } from "commander";
import {
  AGENT,
  AGENT_MODULE,
  addEdit,
  addEvents,
  addLoopFlags,
  addSandbox,
  addSettings,
  type CommandAction,
  duration,
  durationOrNone,
  each,
  labels,
  loopCommand,
  notEmpty,
  numberOption,
  TEXT_FORMS,
  wholeNumber,
} from "./options.ts";

/** Commands that do work in this terminal. */
export function addWorkCommands(program: Command, act: CommandAction): void {
  const run = program
    .command("run")
    .description("start a loop for a task, or go on with one, and drive it to its end")
    .argument("[task]", `what is to be done: ${TEXT_FORMS}`, notEmpty)
    .option("--loop-id <id>", "go on with this loop")
    .option("--create", "with --loop-id: make the loop when there is none")
    .option("--worktree", "give the new loop a worktree and a branch of its own")
    .option("--dry-run", "only print what comes next, and the commands of its bash tasks")
    .option("--no-wait", "leave with exit code 75 instead of waiting for a usage limit");
  addEvents(addSandbox(addLoopFlags(addEdit(run)))).action(
    act(async () => (await import("../commands/run.ts")).run),
  );

  const resume = loopCommand(program, "resume", "go on with a paused loop and drive it here")
    .option("--reopen", "also take up a loop that has ended")
    .option("--now", "try a usage limit at once instead of waiting for its end")
    .option("--no-wait", "leave with exit code 75 instead of waiting for a usage limit")
    .option("--dry-run", "only print what comes next, and the commands of its bash tasks")
    .option("--no-run", "mark it as running without driving it here");
  addEvents(addSandbox(addLoopFlags(resume))).action(
    act(async () => (await import("../commands/run.ts")).resume),
  );

  addEvents(
    loopCommand(program, "watch", "follow a loop that is driven elsewhere until it ends").option(
      "--no-wait",
      "leave when it waits or is paused, or when nobody drives it",
    ),
  ).action(act(async () => (await import("../commands/watch.ts")).watch));

  const tui = program
    .command("tui")
    .description("watch and steer all loops on one screen")
    .option("--agent <name>", AGENT);
  addSandbox(tui)
    .option("--plain", "lines for a screen reader instead of frames")
    .addOption(
      new Option("--theme <theme>", "colors for a dark or a light terminal").choices([
        "dark",
        "light",
      ]),
    )
    .action(act(async () => (await import("../commands/tui.ts")).tui));

  program
    .command("demo")
    .description("see a whole loop in a temporary project, with a scripted agent")
    .action(act(async () => (await import("../commands/demo.ts")).demo));
}

/** Loops that are driven together, by a process that stays. */
export function addSupervisorCommands(program: Command, act: CommandAction): void {
  const start = program
    .command("start")
    .description("start a loop for a task and leave it to a supervisor")
    .argument("[task]", `what is to be done: ${TEXT_FORMS}`, notEmpty)
    .option("--loop-id <id>", "id of the new loop; made up when not given")
    .option("--worktree", "give the new loop a worktree and a branch of its own");
  addLoopFlags(addEdit(start)).action(
    act(async () => (await import("../commands/start.ts")).start),
  );

  const supervise = addSandbox(
    program
      .command("supervise")
      .description("drive every running loop of the project until Ctrl-C; they stay running then")
      .option("--concurrency <n>", "loops to drive at once (default: 4)", wholeNumber)
      .option("--agent <module>", AGENT_MODULE, each),
  );
  addEvents(supervise).action(
    act(async () => (await import("../commands/supervise.ts")).supervise),
  );
  addWorker(program, act);
}

function addWorker(program: Command, act: CommandAction): void {
  const worker = addSandbox(
    program
      .command("worker")
      .description("drive loops of a shared store that bring their repository, until SIGTERM")
      .option("--concurrency <n>", "loops to drive at once (default: 4)", wholeNumber)
      .option(
        "--labels <labels>",
        "what this machine has: linux,gpu; loops that need more are left to others",
        labels,
      )
      .option(
        "--lease <time>",
        "others take over so long after this worker died (default: 15s, at most 1m)",
        duration,
      )
      .option(
        "--drain <time>",
        "at SIGTERM let running actions end for so long; 0 cuts them off (default: 10m)",
        durationOrNone,
      )
      .option("--agent <module>", AGENT_MODULE, each),
  );
  addEvents(worker).action(act(async () => (await import("../commands/supervise.ts")).worker));
}

/** Loops for programs and browsers. */
export function addServeCommand(program: Command, act: CommandAction): void {
  const serve = program
    .command("serve")
    .description("answer over HTTP, and drive the running loops, until Ctrl-C")
    .option("--port <n>", "listen there; 0 for any free port (default: 3456)", port)
    .option("--host <address>", "listen at this address (default: 127.0.0.1)", notEmpty)
    .addOption(
      new Option("--socket <path>", "listen at a Unix socket instead")
        .argParser(notEmpty)
        .conflicts(["port", "host", "public"]),
    )
    .option("--project <folder>", "serve this project instead of the present one; repeatable", each)
    .option("--tls-cert <file>", "speak TLS with this certificate (PEM)", notEmpty)
    .option("--tls-key <file>", "its private key (PEM)", notEmpty)
    .option("--public", "listen where other machines reach it, without TLS")
    .option(
      "--origin <origin>",
      "let pages of this origin ask, such as https://a.example; repeatable",
      each,
    )
    .option("--allow-host <name>", "answer under this host name, too; repeatable", each)
    .option(
      "--token-file <file>",
      "keep the token there, instead of with the user's settings",
      notEmpty,
    )
    .option("--no-rate", "leave limiting clients to the proxy on another machine")
    .option("--concurrency <n>", "loops of each project to drive at once (default: 4)", wholeNumber)
    .option("--agent <module>", AGENT_MODULE, each)
    .option("--allow-bash-tasks", "let clients add tasks that are commands, which run here")
    .option("--no-drive", "only answer; another process drives the loops")
    .addOption(
      new Option(
        "--log-level <level>",
        "what is logged, as lines of JSON on stderr (default: warn)",
      ).choices(["debug", "info", "warn", "error", "silent"]),
    );
  addEvents(addSandbox(serve)).action(
    act(async () => (await import("../commands/serve.ts")).serve),
  );

  const token = program.command("token").description("tokens of clients, beside the server's own");
  const ofServer = (command: Command) =>
    command.option("--token-file <file>", "of the server whose own token is kept there", notEmpty);
  ofServer(token.command("add").description("make one, and print it this once"))
    .argument("<name>", "what the client is called", notEmpty)
    .option("--read-only", "it may look at everything and change nothing")
    .option("--project <name>", "only for this project of the server; repeatable", each)
    .action(act(async () => (await import("../commands/token.ts")).add));
  ofServer(token.command("list").description("who has one, and what each may do")).action(
    act(async () => (await import("../commands/token.ts")).list),
  );
  ofServer(token.command("rotate").description("make another one in place of a client's"))
    .argument("<name>", "client", notEmpty)
    .action(act(async () => (await import("../commands/token.ts")).rotate));
  ofServer(token.command("revoke").description("take a client's from it, at once"))
    .argument("<name>", "client", notEmpty)
    .action(act(async () => (await import("../commands/token.ts")).revoke));

  const mcp = program
    .command("mcp")
    .description(
      "let another program's agent start and follow loops, by the Model Context Protocol",
    );
  addSandbox(addSettings(mcp)).action(act(async () => (await import("../commands/mcp.ts")).mcp));
}

const port = numberOption("a port from 1 to 65535, or 0 for any free one", (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined,
);
