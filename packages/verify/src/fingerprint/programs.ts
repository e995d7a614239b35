import { constants } from "node:fs";
import { access, open, readFile, realpath, stat } from "node:fs/promises";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { digestOf, fileDigest } from "./digests.ts";

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

/** Of a program's content: for the starter scripts in `node_modules/.bin` together with what they start. */
export async function programDigest({ file }: Program): Promise<string | null> {
  const folder = dirname(file);
  if (basename(folder) !== ".bin") return fileDigest(file);
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null || text.length > STARTER) return fileDigest(file);
  const targets = new Set([...text.matchAll(TARGET)].map(([, path = ""]) => resolve(folder, path)));
  const started = await Promise.all([...targets].map(fileDigest));
  return digestOf(await withoutPlace(text, folder), ...started.filter((one) => one !== null));
}

const STARTER = 64 * 1024;
/** Where pnpm's and npm's starters lead, from their own folder. */
const TARGET = /\$basedir(?:_abs)?"?\/'?"?(\.\.?\/[^'"\n]+)/g;
/** A package in pnpm's own folder, whose name lists the versions of what it is used with. */
const STORED = /\.pnpm\/([^/'"\s]+)\/node_modules\/((?:@[^/'"\s]+\/)?[^/'"\s]+)/g;

/**
 * A starter's text without what another place or another neighbour package changes in it: the project's own path, and
 * pnpm's folder of the package that is installed under the same name. Any other folder of pnpm stays in.
 */
async function withoutPlace(text: string, folder: string): Promise<string> {
  const modules = dirname(folder);
  let plain = text.replaceAll(`${dirname(modules)}/node_modules`, "./node_modules");
  const stored = new Map(
    [...text.matchAll(STORED)].map(([, place = "", name = ""]) => [place, name]),
  );
  for (const [place, name] of stored) {
    const installed = await realpath(join(modules, name)).catch(() => "");
    if (installed.includes(`/.pnpm/${place}/`))
      plain = plain.replaceAll(`.pnpm/${place}/`, ".pnpm/*/");
  }
  return plain;
}
