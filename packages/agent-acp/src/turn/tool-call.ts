import { relative, resolve } from "node:path";
import { shellWord, type TurnEvent } from "@ccw-loop/core";
import { plainCommand } from "@ccw-loop/processes/agent-policy";
import { isInside } from "@ccw-loop/processes/plain-file";
import { at, listAt, numberAt, textAt } from "../json.ts";
import type { ExitCodePlace, Profile } from "../launch/profiles.ts";

const MAX_OUTPUT = 64 * 1024;

/** What of a profile tool calls are read by. */
export type ToolReading = Pick<Profile, "exitCode" | "commandInTitle">;

/** One tool call of an agent, as far as it was told: each frame adds to it. */
export class ToolCall {
  readonly #cwd: string;
  readonly #reading: ToolReading;
  #kind: string | undefined;
  #title = "";
  #command = "";
  #folder: string;
  readonly #paths = new Set<string>();
  #hasDiff = false;
  #output = "";
  #exitCode: number | null = null;
  #started = false;
  isOver = false;

  constructor(cwd: string, reading: ToolReading) {
    this.#cwd = cwd;
    this.#folder = cwd;
    this.#reading = reading;
  }

  get kind(): string {
    return this.#kind ?? "other";
  }

  get isCommand(): boolean {
    return this.kind === "execute" || this.#command !== "";
  }

  get isEdit(): boolean {
    return this.#hasDiff || ["edit", "delete", "move"].includes(this.kind);
  }

  /** The command as far as it was told; empty for anything else. */
  get command(): string {
    if (this.#command !== "") return this.#command;
    return this.kind === "execute" && this.#reading.commandInTitle ? this.#title : "";
  }

  get title(): string {
    return this.#title;
  }

  /** Where a command is to run, absolute. */
  get folder(): string {
    return this.#folder;
  }

  /** Absolute. */
  get paths(): string[] {
    return [...this.#paths];
  }

  /** Takes in what a question says about the call. */
  asked(frame: unknown): void {
    this.#learn(frame);
  }

  /** A question about it was accepted. */
  accepted(): TurnEvent[] {
    return this.isCommand ? this.#start() : [];
  }

  /** Takes in a `tool_call` or a `tool_call_update`. */
  update(frame: unknown): TurnEvent[] {
    if (this.isOver) return [];
    this.#learn(frame);
    const output = this.#outputOf(frame);
    const events: TurnEvent[] = this.command !== "" || output !== "" ? this.#start() : [];
    if (output !== "") events.push({ type: "command.output", text: output.slice(-MAX_OUTPUT) });
    const status = textAt(frame, "status");
    if (status !== "completed" && status !== "failed") return events;
    return [...events, ...this.#end(status)];
  }

  /** The turn is over: what was not told any more. */
  end(): TurnEvent[] {
    if (this.isOver || !this.#started) return [];
    return this.#end("failed");
  }

  #learn(frame: unknown): void {
    this.#kind = textAt(frame, "kind") ?? this.#kind;
    this.#title = textAt(frame, "title") ?? this.#title;
    this.#command = commandIn(at(frame, "rawInput")) || this.#command;
    const diffs = listAt(frame, "content").filter((one) => textAt(one, "type") === "diff");
    this.#hasDiff ||= diffs.length > 0;
    const input = at(frame, "rawInput");
    const folder = FOLDERS.map((key) => textAt(input, key)).find((one) => one) ?? folderIn(frame);
    this.#folder = resolve(this.#cwd, folder ?? this.#folder);
    const named = ["file_path", "filePath", "path", "absolute_path"].map((k) => textAt(input, k));
    const told = [...diffs, ...listAt(frame, "locations")].map((one) => textAt(one, "path"));
    for (const path of [...told, ...named]) {
      if (path !== undefined && path !== "") this.#paths.add(resolve(this.#cwd, path));
    }
  }

  #start(): TurnEvent[] {
    if (this.#started || !this.isCommand) return [];
    this.#started = true;
    return [{ type: "command.started", command: this.command || this.#title }];
  }

  #end(status: "completed" | "failed"): TurnEvent[] {
    this.isOver = true;
    if (this.isCommand) {
      const command = this.command || this.#title;
      const exit_code = this.#exitCode;
      return [...this.#start(), { type: "command.completed", command, exit_code }];
    }
    if (!this.isEdit || status === "failed" || this.#paths.size === 0) return [];
    return [{ type: "files.changed", paths: this.paths.map((path) => within(this.#cwd, path)) }];
  }

  /** What a command has printed since it was last told. */
  #outputOf(frame: unknown): string {
    if (!this.isCommand) return "";
    const delta = textAt(frame, "_meta", "terminal_output_delta", "data") ?? "";
    const whole = wholeOutput(frame);
    this.#exitCode ??= exitCodeOf(frame, whole, this.#reading.exitCode);
    this.#output += delta;
    if (whole === "") return delta;
    const known = commonLength(this.#output, whole);
    this.#output = whole;
    return delta + whole.slice(known);
  }
}

const FOLDERS = ["cwd", "workdir", "directory", "dir_path"];

/** Where a command is to run, as the text of a question says it. */
function folderIn(frame: unknown): string | undefined {
  const texts = listAt(frame, "content").map((one) => textAt(one, "content", "text") ?? "");
  return /^\[current working directory (.+)\]/.exec(texts.join("\n"))?.[1];
}

/** The command in the input of a tool: a script, or its words. */
function commandIn(input: unknown): string {
  const command = at(input, "command") ?? at(input, "cmd");
  if (typeof command === "string") return plainCommand(command);
  if (!Array.isArray(command)) return "";
  return plainCommand(command.map((word) => shellWord(String(word))).join(" "));
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

const EXIT_CODE_TEXT = /\bexit code:? (-?\d+)/i;

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
  text: (frame, whole) => {
    const [, code] = EXIT_CODE_TEXT.exec(`${textAt(frame, "rawOutput") ?? ""}\n${whole}`) ?? [];
    return code === undefined ? undefined : Number(code);
  },
};

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Relative to the project for files inside of it. */
function within(cwd: string, path: string): string {
  return (isInside(cwd, path) && relative(cwd, path)) || path;
}
