import { relative } from "node:path";
import type { TurnEvent } from "@ccw-loop/core";
import { isInside } from "@ccw-loop/processes/plain-file";
import { listAt, numberAt, textAt } from "../json.ts";
import type { ExitCodePlace, Profile } from "../launch/profiles.ts";
import { CommandOutput } from "./command-output.ts";
import { factsIn, type ToolFacts, withMore } from "./tool-facts.ts";

/** What of a profile tool calls are read by. */
export type ToolReading = Pick<Profile, "exitCode" | "commandInTitle">;

/** One tool call of an agent, as far as it was told: each frame adds to it. */
export class ToolCall {
  readonly #cwd: string;
  readonly #reading: ToolReading;
  #facts: ToolFacts = {};
  /** What frames alone said of it; null where there were only questions. */
  #framed: ToolFacts | null = null;
  #question = "";
  readonly #output = new CommandOutput();
  #exitCode: number | null = null;
  #started = false;
  isOver = false;

  constructor(cwd: string, reading: ToolReading) {
    this.#cwd = cwd;
    this.#reading = reading;
  }

  get isCommand(): boolean {
    return this.#facts.kind === "execute";
  }

  /** The command as far as it was told; empty for anything else. */
  get command(): string {
    return commandOf(this.#facts, this.#reading);
  }

  /** What it does, in a line for people: its command where it is one. */
  get name(): string {
    return this.command || (this.#facts.title ?? "");
  }

  /** Takes in a question, and answers what it is about: what it does not say itself is as the call's frames said it. */
  asked(frame: unknown): ToolFacts {
    const said = factsIn(frame, this.#cwd);
    this.#question = JSON.stringify(said);
    this.#facts = withMore(this.#facts, said);
    const asked = withMore(this.#framed ?? {}, said);
    return { ...asked, command: commandOf(asked, this.#reading) };
  }

  /** Whether a question under its id is about another call: some agents ask about all of them under one id. */
  isOtherThan(frame: unknown): boolean {
    if (this.isOver) return true;
    const isSame = this.#question === JSON.stringify(factsIn(frame, this.#cwd));
    return this.#framed === null && this.#question !== "" && !isSame;
  }

  /** A question about it was accepted. */
  accepted(): TurnEvent[] {
    return this.#start();
  }

  /** A question about it was declined: nothing more comes of it. */
  declined(): TurnEvent[] {
    const events = this.end();
    this.isOver = true;
    return events;
  }

  /** Takes in a `tool_call` or a `tool_call_update`. */
  update(frame: unknown): TurnEvent[] {
    if (this.isOver) return [];
    const said = factsIn(frame, this.#cwd);
    this.#framed = withMore(this.#framed ?? {}, said);
    this.#facts = withMore(this.#facts, said);
    const status = textAt(frame, "status");
    const isEnd = status === "completed" || status === "failed";
    const output = this.#outputOf(frame, isEnd);
    const events: TurnEvent[] = this.command !== "" || output !== "" ? this.#start() : [];
    if (output !== "") events.push({ type: "command.output", text: output });
    return isEnd ? [...events, ...this.#end(status)] : events;
  }

  /** The turn is over: what was not told any more. */
  end(): TurnEvent[] {
    if (this.isOver || !this.#started) return [];
    return this.#end("failed");
  }

  #start(): TurnEvent[] {
    if (this.#started || !this.isCommand) return [];
    this.#started = true;
    return [{ type: "command.started", command: this.name }];
  }

  #end(status: "completed" | "failed"): TurnEvent[] {
    this.isOver = true;
    this.#output.clear();
    if (this.isCommand) {
      const exit_code = this.#exitCode;
      return [...this.#start(), { type: "command.completed", command: this.name, exit_code }];
    }
    const { kind = "", paths = [], hasDiff = false } = this.#facts;
    const isEdit = hasDiff || EDITS.includes(kind);
    if (!isEdit || status === "failed" || paths.length === 0) return [];
    return [{ type: "files.changed", paths: paths.map((path) => within(this.#cwd, path)) }];
  }

  /** What a command has printed since it was last told. */
  #outputOf(frame: unknown, isEnd: boolean): string {
    if (!this.isCommand) return "";
    const whole = wholeOutput(frame);
    const piece = textAt(frame, "_meta", "terminal_output_delta", "data") ?? "";
    const fresh = this.#output.take(piece, whole);
    const places = this.#reading.exitCode.filter((place) => isEnd || place !== "text");
    this.#exitCode ??= exitCodeOf(frame, whole || this.#output.remembered, places);
    return fresh;
  }
}

/** Kinds of tool calls that change files. */
export const EDITS: readonly string[] = ["edit", "delete", "move"];

function commandOf({ kind, command = "", title = "" }: ToolFacts, reading: ToolReading): string {
  if (kind !== "execute") return "";
  return command === "" && reading.commandInTitle ? title : command;
}

/** All that a command has printed up to now: the text of the call, else its raw output where that is text. */
function wholeOutput(frame: unknown): string {
  const text = listAt(frame, "content")
    .filter((one) => textAt(one, "type") === "content")
    .map((one) => textAt(one, "content", "text") ?? "")
    .join("");
  if (text !== "") return withoutFence(text);
  return textAt(frame, "rawOutput") ?? textAt(frame, "rawOutput", "output") ?? "";
}

function withoutFence(text: string): string {
  return /^```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

function exitCodeOf(
  frame: unknown,
  whole: string,
  places: readonly ExitCodePlace[],
): number | null {
  for (const place of places) {
    const found = EXIT_CODES[place](frame, whole);
    if (found !== undefined && Number.isInteger(found)) return found;
  }
  return null;
}

const EXIT_CODES: Readonly<
  Record<ExitCodePlace, (frame: unknown, whole: string) => number | undefined>
> = {
  metadata: (frame) => numberAt(frame, "rawOutput", "metadata", "exit"),
  terminal: (frame) => numberAt(frame, "_meta", "terminal_exit", "exit_code"),
  contents: (frame) => {
    const exit = listAt(frame, "rawOutput", "contents").find(
      (one) => textAt(one, "type") === "shell_exit",
    );
    return numberAt(exit, "exitCode");
  },
  text: (frame, whole) => exitCodeIn(textAt(frame, "rawOutput") ?? "") ?? exitCodeIn(whole),
};

/** Behind the output stand a few lines of the agent's own. */
const MOST_CLOSING_WORDS = 1000;

/** `Exit code 3` in front of all that was printed, or `Exit Code: 3` behind it; in between it is the output's own word. */
function exitCodeIn(text: string): number | undefined {
  const [, first] = /^Exit code:? (-?\d+)\s*(?:\n|$)/.exec(text) ?? [];
  const end = text.slice(-MOST_CLOSING_WORDS);
  const [, last] = /^[\s\S]*(?:^|\n)Exit Code: (-?\d+)\s*(?:\n\w[\w ]*: .*)*\s*$/.exec(end) ?? [];
  const code = first ?? last;
  return code === undefined ? undefined : Number(code);
}

/** Relative to the project for files inside of it. */
function within(cwd: string, path: string): string {
  return (isInside(cwd, path) && relative(cwd, path)) || path;
}
