import { mkdir, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { LoopError } from "@ccw-loop/core";

/** Below the folder of the user. What lies in `.workflow` is no part of the files that a receipt proves. */
export const EXPORTS = join(".workflow", "exports");

/**
 * Writes a new file, in a folder that is made where it is missing, and answers with its path. One that exists is never
 * written over, the next number is taken.
 */
export async function saveIn(folder: string, name: string, text: string): Promise<string> {
  const { name: base, ext } = parse(name.replaceAll(/[^\w.-]+/g, "-").replace(/^\.+/, ""));
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unwritable(folder, error);
  });
  for (let n = 1; ; n += 1) {
    const path = join(folder, `${base || "ccw-loop"}${n === 1 ? "" : `-${n}`}${ext}`);
    try {
      await writeFile(path, text, { flag: "wx" });
      return path;
    } catch (error) {
      if (!isExisting(error) || n === 1000) throw unwritable(path, error);
    }
  }
}

function unwritable(path: string, error: unknown): LoopError {
  const reason = error instanceof Error ? error.message : String(error);
  return new LoopError("invalid_input", `${path} cannot be written: ${reason}.`, { cause: error });
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
