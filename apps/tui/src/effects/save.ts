import { writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { LoopError } from "@ccw-loop/core";

/** Writes a new file and answers with its path; one that exists is never written over, the next number is taken. */
export async function saveIn(folder: string, name: string, text: string): Promise<string> {
  const { name: base, ext } = parse(name.replaceAll(/[^\w.-]+/g, "-").replace(/^\.+/, ""));
  for (let n = 1; ; n += 1) {
    const path = join(folder, `${base || "ccw-loop"}${n === 1 ? "" : `-${n}`}${ext}`);
    try {
      await writeFile(path, text, { flag: "wx" });
      return path;
    } catch (error) {
      if (isExisting(error) && n < 1000) continue;
      const reason = error instanceof Error ? error.message : String(error);
      throw new LoopError("invalid_input", `${path} cannot be written: ${reason}.`, {
        cause: error,
      });
    }
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
