import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { readPlain } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { runnerOf } from "../runners/recognise.ts";
import { ARGUMENTS_INSIDE } from "../runners/table.ts";
import type { Suite } from "./suite.ts";

const text = z.string().optional().catch(undefined);

/** The part of a package.json that tells how it is tested. */
const PackageJson = z.object({
  packageManager: text,
  workspaces: z.unknown().optional(),
  scripts: z.record(z.string(), z.string()).catch({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
});
export type PackageJson = z.infer<typeof PackageJson>;

/** What `npm init` writes. */
const PLACEHOLDER = /no test specified/;
/** A script that only calls another one. */
const ALIAS = /^(?:npm|pnpm|yarn|bun)\s+run\s+([\w:.-]+)$/;
/** A call of a script by hand; `bun test` is Bun's own runner. */
const SCRIPT_CALL = /^(?:(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+)?|bun\s+run\s+)([\w:.-]+)$/;

/** The folder's package.json; undefined when there is none, or none that can be read. */
export function readPackage(cwd: string): PackageJson | undefined {
  try {
    const text = readPlain(join(cwd, "package.json"), { followLinks: true })?.toString("utf8");
    return PackageJson.safeParse(tryParseJson(text)).data;
  } catch {
    return undefined;
  }
}

/** The package's own `test` script. */
export function suiteOfScripts(cwd: string, { scripts, packageManager }: PackageJson): Suite[] {
  const script = scripts.test;
  if (!script?.trim() || PLACEHOLDER.test(script)) return [];
  const name = followAliases(scripts, "test");
  const manager = packageManager?.split("@", 1)[0] ?? nearestLock(cwd)?.manager ?? "npm";
  const command = callOf(manager, name);
  const report = reportOfPackageScript(scripts[name] ?? "");
  return [{ command, source: "package.json", report, runs: textOf(scripts, name) }];
}

/** A script with all those that it names. */
function textOf(scripts: Readonly<Record<string, string>>, first: string): string {
  const names = new Set([first, `pre${first}`, `post${first}`]);
  for (const name of names) {
    const words = (scripts[name] ?? "").split(/[^\w:.-]+/);
    for (const word of words) if (Object.hasOwn(scripts, word)) names.add(word);
  }
  return [...names].map((name) => scripts[name] ?? "").join("\n");
}

/** The text of the script that a command is nothing but a call of. */
export function scriptCalledBy(cwd: string, command: string): string | undefined {
  const called = SCRIPT_CALL.exec(command.trim())?.[1];
  const name = called === "t" ? "test" : called;
  return name === undefined ? undefined : readPackage(cwd)?.scripts[name];
}

/** The report that a script can be asked for, by arguments behind it or by its environment. */
export function reportOfScript(script: string): string {
  const runner = runnerOf(script);
  return ARGUMENTS_INSIDE.has(runner) ? "exit-code" : runner;
}

/** The same for a script of a package.json: runners of JavaScript are told wherever they are in it. */
export function reportOfPackageScript(script: string): string {
  const report = reportOfScript(script);
  return report === "exit-code" ? "script" : report;
}

/** The script at the end of a chain of scripts that only call another; `pre` and `post` hooks break it. */
function followAliases(scripts: Readonly<Record<string, string>>, first: string): string {
  let name = first;
  for (let step = 0; step < 5; step += 1) {
    const next = ALIAS.exec(scripts[name]?.trim() ?? "")?.[1];
    const hooked = `pre${name}` in scripts || `post${name}` in scripts;
    if (next === undefined || hooked || scripts[next] === undefined) break;
    name = next;
  }
  return name;
}

function callOf(manager: string, script: string): string {
  if (manager === "bun") return `bun run ${script}`;
  return script === "test" ? `${manager} test` : `${manager} run ${script}`;
}

const LOCKFILES: readonly [string, string][] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** The nearest lock file from a folder up to the top of its repository, and the manager that it is of. */
export function nearestLock(from: string): { folder: string; manager: string } | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = LOCKFILES.find(([file]) => existsSync(join(folder, file)));
    if (found) return { folder, manager: found[1] };
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return null;
  }
}
