import { closeSync, existsSync, readSync } from "node:fs";
import { join } from "node:path";
import type { VerifyPlan } from "@ccw-loop/core";
import { openPlain, READ } from "@ccw-loop/processes/plain-file";
import { filesUnder } from "../files/walk.ts";

/** Looks at one ecosystem; null when its tests are not here. */
export type Detector = (cwd: string) => Promise<VerifyPlan | null>;

const HEAD_BYTES = 64 * 1024;

/** The first of these files that is in the folder. */
export function firstFile(cwd: string, names: readonly string[]): string | undefined {
  return names.find((name) => existsSync(join(cwd, name)));
}

/** The first file whose path fits, and whose beginning holds `content` where that is given. */
export async function findFile(
  cwd: string,
  path: RegExp,
  content?: RegExp,
): Promise<string | null> {
  for await (const file of findFiles(cwd, path, content)) return file;
  return null;
}

/** Every such file, in the order of their paths. */
export async function* findFiles(
  cwd: string,
  path: RegExp,
  content?: RegExp,
): AsyncGenerator<string> {
  for await (const file of filesUnder(cwd)) {
    if (!path.test(file)) continue;
    if (!content || content.test((await headOf(join(cwd, file))) ?? "")) yield file;
  }
}

/** The beginning of a file; null where there is none. */
export async function headOf(file: string): Promise<string | null> {
  let fd: number;
  try {
    fd = openPlain(file, READ, { followLinks: true });
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
