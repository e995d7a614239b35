import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { LoopError, shellWord } from "@ccw-loop/core";
import type { CodexOptions } from "../options.ts";
import { nativePackage } from "./native-package.ts";
import { commandByPath, commandFromPath, installCommand } from "./typed.ts";

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
  if (isAbsolute(given) && (await isProgram(given))) {
    return { path: await nativeProgram(given), source, shellCommand: shellWord(given) };
  }
  throw new LoopError(
    "agent_unavailable",
    `${source} names ${given}, which is not the absolute path of a program that may be run. ` +
      `Correct it, or install Codex with "${installCommand(cwd)}".`,
  );
}

async function firstOnPath(path: string): Promise<string | null> {
  const file = process.platform === "win32" ? "codex.exe" : "codex";
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    if (await isProgram(join(folder, file))) return join(folder, file);
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
    return (await isProgram(program)) ? program : null;
  } catch {
    return null;
  }
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
