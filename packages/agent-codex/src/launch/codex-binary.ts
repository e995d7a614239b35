import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { LoopError, shellWord } from "@ccw-loop/core";
import { foldersUp } from "@ccw-loop/processes/plain-file";
import { isProgram } from "@ccw-loop/processes/programs";
import type { CodexOptions } from "../options.ts";

/** The codex program and who named it. */
export interface CodexBinary {
  path: string;
  source: "the binary option" | "CODEX_BIN" | "PATH" | "@openai/codex";
  /** How it is typed in a shell in the project's folder. */
  shellCommand: string;
}

/**
 * Finds codex: the option, CODEX_BIN, PATH, an installed `@openai/codex`. npm's Node wrapper is replaced by
 * the program it would start. Throws `agent_unavailable` when there is none.
 */
export async function findBinary(
  { binary, env = process.env }: Pick<CodexOptions, "binary" | "env">,
  cwd: string,
): Promise<CodexBinary> {
  if (binary) return givenBinary(binary, "the binary option", cwd);
  if (env.CODEX_BIN) return givenBinary(env.CODEX_BIN, "CODEX_BIN", cwd);
  const onPath = await firstOnPath(env.PATH ?? "");
  if (onPath) {
    const path = await nativeProgram(onPath);
    return { path, source: "PATH", shellCommand: commandFromPath(dirname(onPath), path, cwd) };
  }
  const installed = await installedProgram(import.meta.filename);
  if (installed) {
    return {
      path: installed,
      source: "@openai/codex",
      shellCommand: commandByPath(installed, cwd),
    };
  }
  throw new LoopError(
    "agent_unavailable",
    `Codex was not found. Install it with "${installCommand(cwd)}", or name the program in CODEX_BIN.`,
  );
}

async function givenBinary(
  given: string,
  source: CodexBinary["source"],
  cwd: string,
): Promise<CodexBinary> {
  if (isAbsolute(given) && isProgram(given)) {
    return { path: await nativeProgram(given), source, shellCommand: shellWord(given) };
  }
  throw new LoopError(
    "agent_unavailable",
    `${source} names ${given}, which is not the absolute path of a program that may be run. ` +
      `Correct it, or install Codex with "${installCommand(cwd)}".`,
  );
}

async function firstOnPath(path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    if (isProgram(join(folder, "codex"))) return join(folder, "codex");
  }
  return null;
}

/** The program behind npm's wrapper script; any other program is what it is. */
async function nativeProgram(path: string): Promise<string> {
  const real = await realpath(path);
  if (!real.endsWith(join("@openai", "codex", "bin", "codex.js"))) return path;
  return (await programOf(dirname(dirname(real)))) ?? path;
}

async function installedProgram(from: string): Promise<string | null> {
  try {
    return await programOf(dirname(createRequire(from).resolve("@openai/codex/package.json")));
  } catch {
    return null;
  }
}

/** The native program that belongs to an installed `@openai/codex`; null when it lacks this platform. */
async function programOf(packageFolder: string): Promise<string | null> {
  const native = nativePackage(process.platform, process.arch);
  if (!native) return null;
  try {
    const { resolve } = createRequire(join(await realpath(packageFolder), "package.json"));
    const program = join(dirname(resolve(`${native.name}/package.json`)), native.program);
    return isProgram(program) ? program : null;
  } catch {
    return null;
  }
}

const TRIPLES: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

/**
 * Where npm puts the program itself: the package of this platform beside `@openai/codex`, and the program's path inside it.
 * Null for a platform that Codex is not built for.
 */
export function nativePackage(platform: string, arch: string) {
  const triple = TRIPLES[`${platform}-${arch}`];
  if (triple === undefined) return null;
  return { name: `@openai/codex-${platform}-${arch}`, program: `vendor/${triple}/bin/codex` };
}

const LOCAL = join("node_modules", ".bin");

/** How the program in a folder of PATH is typed in `cwd`: npx has put the ones of a project there, a shell has not. */
export function commandFromPath(folder: string, program: string, cwd: string): string {
  return folder.endsWith(LOCAL) ? commandByPath(program, cwd) : "codex";
}

/** How a program that is not in PATH is typed in `cwd`. */
export function commandByPath(program: string, cwd: string): string {
  const isLocal = foldersUp(cwd).some((folder) => existsSync(join(folder, LOCAL, "codex")));
  return isLocal ? "npx codex" : shellWord(program);
}

/** What installs Codex beside this program: in the project that has it, else for all of them. `ours` is a file of it. */
export function installCommand(cwd: string, ours: string = import.meta.filename): string {
  const isLocal = foldersUp(cwd).some((folder) =>
    ours.startsWith(join(folder, "node_modules", sep)),
  );
  if (!isLocal) return "npm install -g @openai/codex";
  const byPnpm = ours.includes(join("node_modules", ".pnpm", sep));
  return `${byPnpm ? "pnpm add --save-dev" : "npm install --save-dev"} @openai/codex`;
}

/** The oldest Codex that the suite was run on. It refuses `rm -rf` by itself, where newer ones ask; all else is the same. */
export const OLDEST_VERSION = "0.163.0";

/** The version in what `codex --version` prints; null when there is none. */
export function versionIn(text: string): string | null {
  return /\b\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(text)?.[0] ?? null;
}

const VERSION_ORDER = new Intl.Collator("en", { numeric: true });

/** A pre-release counts as the version it leads to. */
export function isTooOld(version: string): boolean {
  const [release = ""] = version.split("-", 1);
  return VERSION_ORDER.compare(release, OLDEST_VERSION) < 0;
}
