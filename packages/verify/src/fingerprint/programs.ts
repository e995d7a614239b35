import { constants } from "node:fs";
import { access, open, realpath, stat } from "node:fs/promises";
import { basename, delimiter, resolve } from "node:path";
import { processes } from "@ccw-loop/processes";
import quote from "shell-quote/quote.js";
import { runCommand } from "../process/run-command.ts";

type Env = Readonly<Record<string, string>>;

/** A program as the shell finds it. */
export interface Program {
  /** Where it was found, which may be a link. */
  path: string;
  /** The file itself. */
  file: string;
}

/** Folders in the order the shell looks through them. */
export function pathFolders(cwd: string, env: Env): string[] {
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => resolve(cwd, folder));
}

/** The file behind a command word; null where the shell would find none either. `bin` goes before the PATH. */
export async function findProgram(
  word: string,
  cwd: string,
  env: Env,
  bin: string | null = null,
): Promise<Program | null> {
  const inPath = [...(bin === null ? [] : [bin]), ...pathFolders(cwd, env)];
  const folders = /[/\\]/.test(word) ? [cwd] : inPath;
  const endings =
    process.platform === "win32" ? ["", ...(env.PATHEXT ?? ".EXE;.CMD").split(";")] : [""];
  for (const folder of folders) {
    for (const ending of endings) {
      const path = resolve(folder, word + ending);
      if (await isProgram(path)) return { path, file: await realpath(path).catch(() => path) };
    }
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

const SCRIPT_HEAD = 256;

/** What a script names in its first line: `node` of `#!/usr/bin/env node`, or a path; null for other files. */
export async function interpreterOf({ file }: Program): Promise<string | null> {
  const head = await firstBytes(file);
  const [, program = "", rest = ""] = /^#!\s*(\S+)[ \t]*([^\n]*)/.exec(head) ?? [];
  if (program === "") return null;
  if (basename(program) !== "env") return program;
  return rest.split(/\s+/).find((word) => word !== "" && !/^-|=/.test(word)) ?? null;
}

async function firstBytes(file: string): Promise<string> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(SCRIPT_HEAD) });
    return buffer.subarray(0, bytesRead).toString();
  } catch {
    return "";
  }
}

const PATIENCE_MS = 5000;
const GRACE_MS = 200;
const LENGTH = 64 * 1024;
/** They work for no loop, and are over in a moment. */
const UNREGISTERED = processes();

/** What a program prints to its standard output; null when it fails, hangs or cannot be started. */
export async function outputOfProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Env,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const end = await runCommand(quote([program, ...args]), {
      cwd,
      env,
      processes: UNREGISTERED,
      signal: new AbortController().signal,
      timeoutMs: PATIENCE_MS,
      graceMs: GRACE_MS,
      onStdout(chunk) {
        if (size < LENGTH) chunks.push(chunk);
        size += chunk.length;
      },
    });
    return end.exitCode === 0 ? Buffer.concat(chunks).toString() : null;
  } catch {
    return null;
  }
}
