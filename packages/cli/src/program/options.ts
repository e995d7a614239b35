import { COUNT_FORM, DURATION_FORMS, parseCount, parseDuration } from "@ccw-loop/view";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Io } from "../runtime/io.ts";
import type { Handler } from "../runtime/perform.ts";

/** Parsers of option values; what they refuse is a usage error (exit 2). */
export const wholeNumber = numberOption(COUNT_FORM, parseCount);
export const zeroOrMore = numberOption("a whole number from 0 on", (text) =>
  /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : undefined,
);

export const duration = numberOption(`a duration like ${DURATION_FORMS}`, parseDuration);
export const durationOrNone = numberOption(`0, or a duration like ${DURATION_FORMS}`, (text) =>
  text === "0" ? 0 : parseDuration(text),
);

export function numberOption(form: string, parse: (text: string) => number | undefined) {
  return (text: string): number => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(`Use ${form}.`);
    return value;
  };
}

export function notEmpty(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

/** For an option that may be given several times: its values in their order. */
export function each(text: string, before: string[] = []): string[] {
  return [...before, notEmpty(text)];
}

/** Labels between commas, or with the option given several times. */
export function labels(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(",").map((one) => notEmpty(one).trim())];
}

/** A command about one loop. */
export function loopCommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).argument("<id>", "loop");
}

/** What a command says of a text that `textInput` reads. */
export const TEXT_FORMS = "as it is, @FILE, or - for standard input";

/** For commands that make a loop for a task. */
export function addEdit(command: Command): Command {
  return command.option("-e, --edit", "write the task in your editor (EDITOR)");
}

/** Where the loops are, when they are not the project's own. */
export function addPlace(program: Command): Command {
  return program
    .option(
      "--store <address>",
      "loops in this database: postgres://USER@HOST/DATABASE, without a password",
      notEmpty,
    )
    .option(
      "--url <url>",
      "ask this control plane (ccw-loop serve) instead of the files here",
      notEmpty,
    )
    .option("--token-file <file>", "its token, where it is not the user's own", notEmpty)
    .option("--insecure-http", "send the token to another machine without TLS");
}

/** The settings as flags, unchecked: `effectiveSettings` checks them. */
export interface SettingFlags {
  agent?: string;
  fallback?: string;
  review?: string;
  model?: string;
  verify?: string[];
  maxIterations?: string;
  maxDuration?: string;
  maxTurns?: string;
  maxTokens?: string;
  maxCost?: string;
  maxStalled?: string;
  maxFailures?: string;
  turnTimeout?: string;
  testTimeout?: string;
  taskTimeout?: string;
  session?: string;
  auto?: true;
  interactive?: true;
  minCoverage?: string;
  /** False for `--no-coverage-drop`, true for `--coverage-drop`. */
  coverageDrop?: boolean;
  flakyReruns?: string;
}

export const AGENT =
  "codex, gemini, qwen, claude, opencode, copilot, codex-acp, scripted:FILE, one of your own configuration, a module: ./FILE.js, or a program that speaks ACP: acp:COMMAND";

/** For commands that need a loop's agent and change no setting of it. */
export const AGENT_MODULE =
  "load this module, or allow this acp:COMMAND, for the loops that have it as their agent; repeatable";

/** For commands that open an agent. It is no setting of a loop: whoever drives the loop says it. */
export function addSandbox(command: Command): Command {
  return command.option(
    "--sandbox <where>",
    "where an agent by ACP runs: workspace (kept to the project), off, or container:COMMAND, which starts it elsewhere",
    notEmpty,
  );
}

export function addSettings(command: Command): Command {
  return command
    .addOption(
      new Option("--auto", "choose every action by the rules, ask nobody").conflicts("interactive"),
    )
    .option("--interactive", "ask in a menu before every action")
    .option("--agent <name>", AGENT)
    .option(
      "--fallback <agent>",
      "goes on while another agent is at its usage limit; without it the loop waits",
    )
    .option(
      "--review <agent>",
      "looks at proven work before the loop ends; what it finds is a question to you",
    )
    .option("--model <name>", "model that the agent uses", notEmpty)
    .option(
      "--verify <command>",
      "test command that decides; found out when not given; repeatable",
      each,
    )
    .option("--max-iterations <n>", "DEVELOP, DEBUG and VALIDATE actions at most (new loops: 10)")
    .option("--max-duration <time>", `work at most this long (new loops: 4h): ${DURATION_FORMS}`)
    .option("--max-turns <n>", "ask the agent at most this often (new loops: 200)")
    .option(
      "--max-tokens <n>",
      "let the agent use at most this many tokens (new loops: 20 million)",
    )
    .option(
      "--max-cost <usd>",
      "let the agent spend at most so many dollars, where it tells (new loops: no bound)",
    )
    .option(
      "--max-stalled <n>",
      "ask a person after so many iterations without progress (new loops: 15)",
    )
    .option("--max-failures <n>", "end after so many failed actions in a row (new loops: 5)")
    .option("--turn-timeout <time>", "end a turn of the agent after this long (new loops: 30m)")
    .option(
      "--test-timeout <time>",
      "end a run of the tests after this long (five times the first one, at least 2m)",
    )
    .option(
      "--task-timeout <time>",
      "end the command of a bash task after this long (new loops: 10m)",
    )
    .option("--session <kind>", "single: one conversation for the loop; fresh: one per action")
    .option("--min-coverage <percent>", "share of the lines that the tests must cover", notEmpty)
    .option("--coverage-drop", "changed lines may be covered less than the project was (default)")
    .option("--no-coverage-drop", "they must be covered at least as well")
    .option("--flaky-reruns <n>", "run a failing test again at most this often");
}

/**
 * What is said for one loop alone; no file and no environment has it. An agent can write a file: it must not be
 * able to say which tests need not pass, or which of them may be changed.
 */
export interface LoopFlags extends SettingFlags {
  setup?: string;
  repository?: string;
  ref?: string;
  needs?: string[];
  waiveTests?: string;
  target?: string[];
  knownRed?: string[];
  allowTestChanges?: string[];
  expect?: "change" | "unchanged";
}

export function addLoopFlags(command: Command): Command {
  return addSettings(command)
    .option("--setup <command>", "run this once before the tests: npm ci, for one", notEmpty)
    .option(
      "--repository <url>",
      "work in a clone of this repository, on whichever machine drives the loop",
      notEmpty,
    )
    .option("--ref <ref>", "with --repository: begin at this branch, tag or commit", notEmpty)
    .option("--needs <labels>", "leave it to workers that have these labels: linux,gpu", labels)
    .option(
      "--target <test>",
      "failing test that has to pass: a part of its name, or with *; repeatable",
      each,
    )
    .option("--known-red <test>", "failing test that need not pass; repeatable", each)
    .option(
      "--allow-test-changes <path>",
      "tests that may be changed: a file, a folder, or with *; repeatable",
      each,
    )
    .addOption(
      new Option(
        "--expect <what>",
        "unchanged: behaviour has to stay as it was, so no test has to fail without the change",
      ).choices(["change", "unchanged"]),
    )
    .option("--waive-tests <reason>", "accept a project without tests, and say why", notEmpty);
}

/** What a command that drives or watches a loop may print on stdout instead of text. */
export function addEvents(command: Command): Command {
  return command.option("--events", "print every event as one line of JSON");
}

/**
 * Makes the action of a command from a handler that is imported when it is needed. The handler gets the
 * command's arguments and then its options, as commander parsed them.
 */
export type CommandAction = <A extends unknown[]>(
  load: () => Promise<Handler<A>>,
) => (this: Command, ...args: A) => Promise<void>;

/** Every action ends by telling its exit code. */
export function commandActions(io: Io, tellExit: (code: number) => void): CommandAction {
  return (load) =>
    async function (...args) {
      const [{ perform }, handler] = await Promise.all([import("../runtime/perform.ts"), load()]);
      tellExit(await perform(handler, args, { command: this, io }));
    };
}
