import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { errorText, LoopError } from "@ccw-loop/core";
import { LONGEST } from "../model/field.ts";

/**
 * The text as a person left it in the editor that VISUAL or EDITOR names, else vi, which has the terminal meanwhile.
 * Throws `invalid_input` when the editor cannot be started or ends with another exit code than 0.
 */
export async function editedText(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-"));
  const file = join(folder, "text.md");
  const editor = env.VISUAL || env.EDITOR || "vi";
  try {
    await writeFile(file, text === "" ? "" : `${text}\n`);
    // The variable may hold options as well, so a shell reads it, as git does.
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", env });
    const [code] = await once(child, "close");
    if (code !== 0) {
      const message = `The editor ${editor} ended with exit code ${code}; the text is as it was.`;
      throw new LoopError("invalid_input", message);
    }
    return fitting(editor, (await readFile(file, "utf8")).replace(/\n$/, ""));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The text of a file, whose path may begin with `~/`. Throws `invalid_input` when it cannot be read or is too long. */
export async function textOfFile(folder: string, file: string): Promise<string> {
  const path = resolve(folder, file.replace(/^~(?=\/)/, homedir()));
  try {
    return fitting(file, (await readFile(path, "utf8")).trimEnd());
  } catch (error) {
    if (error instanceof LoopError) throw error;
    const message = `${path} cannot be read: ${errorText(error)}.`;
    throw new LoopError("invalid_input", message, { cause: error });
  }
}

/** Half a text would be another task. */
function fitting(from: string, text: string): string {
  if (text.length <= LONGEST) return text;
  const message = `The text of ${from} has ${text.length} characters; a field takes ${LONGEST}.`;
  throw new LoopError("invalid_input", message);
}
