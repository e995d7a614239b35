import { existsSync } from "node:fs";
import { join } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { foldersUp } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { textOf } from "../project-files.ts";
import { runnerOf } from "../runners/recognise.ts";
import { ARGUMENTS_INSIDE } from "../runners/table.ts";
import type { Detector, Folder, Suite } from "./detector.ts";

/** A runner that the package names or configures, although it has no test script. */
export const javascript: Detector = (folder) => {
  const found = readPackage(folder.path);
  const isPackages = found?.workspaces !== undefined || folder.first(["pnpm-workspace.yaml"]);
  // Its packages have scripts of their own, and a runner among its dependencies is theirs.
  if (isPackages && hasScriptsBelow(folder)) return [];
  const sourceOf = (runner: string, ...configs: string[]) =>
    folder.first(configs) ??
    (found !== undefined && dependsOn(found, runner) ? "package.json" : undefined);

  const vitest = sourceOf("vitest", ...configs("vitest"));
  if (vitest) return [{ command: "vitest run", source: vitest, report: "vitest" }];
  const jest = sourceOf("jest", ...configs("jest"));
  if (jest) return [{ command: "jest", source: jest, report: "jest" }];
  const mocha = sourceOf("mocha", ...MOCHA);
  if (mocha) return [{ command: "mocha", source: mocha, report: "mocha" }];
  const ava = sourceOf("ava", "ava.config.js", "ava.config.mjs", "ava.config.cjs");
  if (ava) return [{ command: "ava", source: ava, report: "ava" }];
  const tap = sourceOf("tap", ".taprc");
  if (tap) return [{ command: "tap", source: tap, report: "tap" }];
  if (sourceOf("tape") && folder.find(TAPE_FILE, /["']tape["']/) !== null) {
    return [{ command: "tape 'test/**/*.js'", source: "package.json", report: "tape" }];
  }
  const uvu = sourceOf("uvu") && folder.first(["test", "tests"]);
  if (uvu) return [{ command: `uvu ${uvu}`, source: "package.json", report: "uvu" }];
  const bun = folder.find(BUN_FILE, /["']bun:test["']/);
  if (bun !== null) return [{ command: "bun test", source: bun, report: "bun" }];
  const node = folder.find(NODE_FILE, /["']node:test["']/);
  if (node !== null) return [{ command: "node --test", source: node, report: "node-test" }];
  const playwright = sourceOf("@playwright/test", ...configs("playwright"));
  if (playwright === undefined) return [];
  return [{ command: "playwright test", source: playwright, report: "playwright" }];
};

/** What each of the two looks for by itself. */
const BUN_FILE = /[._](test|spec)\.[cm]?[jt]sx?$/;
const NODE_FILE =
  /(^|[./_-])test\.[cm]?[jt]s$|(^|\/)test-[^/]*\.[cm]?[jt]s$|(^|\/)test\/.*\.[cm]?[jt]s$/;
const TAPE_FILE = /^test\/.*\.js$/;
const MOCHA = ["js", "cjs", "mjs", "json", "jsonc", "yaml", "yml"].map((end) => `.mocharc.${end}`);

function configs(name: string): string[] {
  return ["ts", "mts", "cts", "js", "mjs", "cjs", "json"].map((end) => `${name}.config.${end}`);
}

function dependsOn({ dependencies, devDependencies }: PackageJson, name: string): boolean {
  return name in dependencies || name in devDependencies;
}

function hasScriptsBelow(folder: Folder): boolean {
  return folder.find(/\/package\.json$/, /"test"\s*:/) !== null;
}

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
  return PackageJson.safeParse(tryParseJson(textOf(join(cwd, "package.json")))).data;
}

/** The package's own `test` script. */
export function suiteOfScripts(cwd: string, { scripts, packageManager }: PackageJson): Suite[] {
  const script = scripts.test;
  if (!script?.trim() || PLACEHOLDER.test(script)) return [];
  const name = followAliases(scripts, "test");
  const manager = packageManager?.split("@", 1)[0] ?? nearestLock(cwd)?.manager ?? "npm";
  const command = callOf(manager, name);
  const report = reportOfScript(scripts[name] ?? "");
  return [{ command, source: "package.json", report, runs: scriptText(scripts, name) }];
}

/** A script with all those that it names. */
function scriptText(scripts: Readonly<Record<string, string>>, first: string): string {
  const names = new Set([first, `pre${first}`, `post${first}`]);
  for (const name of names) {
    const words = (scripts[name] ?? "").split(/[^\w:.-]+/);
    for (const word of words) if (Object.hasOwn(scripts, word)) names.add(word);
  }
  return [...names].map((name) => scripts[name] ?? "").join("\n");
}

/** The text of the script that a command is nothing but a call of. */
export function scriptCalledBy(cwd: string, command: string): string | undefined {
  const name = scriptIn(command);
  return name === undefined ? undefined : readPackage(cwd)?.scripts[name];
}

/** The command that calls what is run before or after the script that a command is nothing but a call of. */
export function hookOf(kind: "pre" | "post", cwd: string, command: string): string | undefined {
  const hook = `${kind}${scriptIn(command)}`;
  const [manager] = command.trim().split(" ");
  return readPackage(cwd)?.scripts[hook] === undefined ? undefined : `${manager} run ${hook}`;
}

function scriptIn(command: string): string | undefined {
  const called = SCRIPT_CALL.exec(command.trim())?.[1];
  return called === "t" ? "test" : called;
}

/** The report that a script can be asked for, by arguments behind it or by its environment. */
export function reportOfScript(script: string): string {
  const runner = runnerOf(script);
  return ARGUMENTS_INSIDE.has(runner) ? "script" : runner;
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
  for (const folder of foldersUp(from)) {
    const found = LOCKFILES.find(([file]) => existsSync(join(folder, file)));
    if (found) return { folder, manager: found[1] };
    if (existsSync(join(folder, ".git"))) return null;
  }
  return null;
}
