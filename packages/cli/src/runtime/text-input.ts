import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { errorText, LoopError } from "@ccw-loop/core";
import { readPlain } from "@ccw-loop/processes/plain-file";
import type { Context } from "./context.ts";
import { canAsk } from "./prompt.ts";

/** A task is read by an agent in one turn; nobody writes more. */
const MAX_BYTES = 1024 * 1024;
/** What stands in the editor's file below the text. */
const SCISSORS =
  "----- Write the task above this line. Save and close to go on; an empty task starts nothing. -----";

/**
 * The text that an argument stands for: `-` is standard input, `@FILE` a file, `@@…` a text that begins with `@`, and
 * anything else itself. Throws `invalid_input` for what cannot be read, is empty, no UTF-8, or larger than 1 MiB.
 */
export async function textInput(context: Context, given: string): Promise<string> {
  if (given.startsWith("@@")) return given.slice(1);
  if (given === "-") return read("Standard input", () => standardInput(context));
  if (!given.startsWith("@")) return given;
  const path = resolve(context.cwd, given.slice(1));
  return read(path, async () => {
    const bytes = readPlain(path, { most: MAX_BYTES, followLinks: true });
    if (bytes !== null) return bytes;
    throw new Error("there is no such file; a text that begins with @ is written with @@");
  });
}

/** The task of a new loop: with `--edit` as a person writes it in an editor, beginning with what is given. */
export async function taskInput(
  context: Context,
  given: string | undefined,
  { edit }: { edit?: true },
): Promise<string> {
  const text = given === undefined ? "" : await textInput(context, given);
  return edit ? editedText(context, text) : text;
}

async function editedText(context: Context, given: string): Promise<string> {
  const { env } = context.io;
  const editor = env.VISUAL || env.EDITOR;
  if (!canAsk(context.io)) {
    const message =
      "--edit opens an editor, and there is no terminal. Give the task as @FILE, or - for standard input.";
    throw new LoopError("invalid_input", message);
  }
  if (!editor) {
    const message =
      "--edit opens the editor that EDITOR names, and it names none. Set it first, for example: export EDITOR=nano";
    throw new LoopError("invalid_input", message);
  }
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-task-"));
  const file = join(folder, "TASK.md");
  try {
    await writeFile(file, `${given}\n\n${SCISSORS}\n`, { mode: 0o600 });
    // The value is a command, as git and others take it: `code --wait`.
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], {
      ...{ cwd: context.cwd, env: { ...env }, stdio: "inherit" },
    });
    const [code, signal] = await once(child, "exit");
    if (code !== 0) {
      const message = `The editor (${editor}) ended with ${code ?? signal}; nothing was started.`;
      throw new LoopError("invalid_input", message);
    }
    return await read("The task", async () =>
      Buffer.from((await readFile(file, "utf8")).split(SCISSORS, 1)[0] ?? ""),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function standardInput({ io }: Context): Promise<Buffer> {
  if (io.stdin.isTTY) io.stderr.write("Type the text, and end it with Enter and Ctrl-D.\n");
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of io.stdin) {
    parts.push(Buffer.from(part));
    size += parts.at(-1)?.length ?? 0;
    if (size > MAX_BYTES) throw new Error("it is larger than 1 MiB");
  }
  return Buffer.concat(parts);
}

async function read(name: string, bytes: () => Promise<Buffer>): Promise<string> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await bytes()).trim();
  } catch (error) {
    throw new LoopError("invalid_input", `${name} cannot be read: ${errorText(error)}.`);
  }
  if (text === "") throw new LoopError("invalid_input", `${name} is empty.`);
  return text;
}
