import { realpathSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { PlanPart } from "@ccw-loop/core";
import { z } from "zod";
import { isInside } from "../project-files.ts";
import { type Invocation, invocationsOf, programName } from "./invocations.ts";
import { findProgram, interpreterOf, outputOfProgram, type Program } from "./programs.ts";
import { scriptOf } from "./scripts.ts";

type Env = Readonly<Record<string, string>>;

/** How programs that know their own version are asked, and where it stands in the answer. */
const ASKED: Readonly<Record<string, readonly [args: readonly string[], version: RegExp]>> = {
  bun: [["--version"], /^(\d\S*)/],
  cargo: [["--version"], /^cargo (\S+)/],
  deno: [["--version"], /^deno (\S+)/],
  dotnet: [["--version"], /^(\d\S*)/],
  go: [["version"], /go(\d\S*)/],
  gradle: [["--version"], /^Gradle (\S+)/m],
  mvn: [["--version"], /Apache Maven (\S+)/],
  node: [["--version"], /^v(\S+)/],
  phpunit: [["--version"], /PHPUnit (\S+)/],
  rspec: [["--version"], /rspec-core (\S+)/],
};

/**
 * Name and version of what runs a command's tests, such as `vitest 4.1.0` or `go 1.22.1`; null where it is unknown. No
 * program of the project is started for it; installed packages are asked by their files.
 */
export async function runnerVersion(
  { command }: PlanPart,
  cwd: string,
  env: Env,
): Promise<string | null> {
  // The tests come last: behind hooks, wrappers, type checks.
  const root = await realpath(cwd).catch(() => cwd);
  for (const one of invocationsOf(command, root, env, scriptOf).reverse()) {
    const program = await findProgram(one.program, one.folder, env, one.bin);
    const version = program === null ? null : await versionOf(one, program, root, env);
    if (version !== null) return version;
  }
  return null;
}

async function versionOf(
  invocation: Invocation,
  program: Program,
  cwd: string,
  env: Env,
): Promise<string | null> {
  const [installed] = await runnerPackages(invocation, program);
  const name = programName(invocation.program).replace(/^_/, "");
  if (installed) return `${installed.name.replace(/^@|\/.*$/g, "")} ${installed.version}`;
  const module = pythonModule(invocation.program, invocation.args);
  if (module !== null) return pythonVersion(module, program, cwd, env);
  const asked = Object.hasOwn(ASKED, name) ? ASKED[name] : undefined;
  if (!asked || !isTestRun(name, invocation.args)) return null;
  if (program.file === realpathSync(process.execPath)) return `node ${process.versions.node}`;
  if (isInside(cwd, program.file)) return null;
  const folder = CHOSEN_BY_PROJECT.test(name) ? invocation.folder : tmpdir();
  const answer = await outputOfProgram(program.path, asked[0], folder, env);
  const version = asked[1].exec(stripVTControlCharacters(answer ?? ""))?.[1];
  return version === undefined ? null : `${name} ${version}`;
}

/** The project's files may name the version that is used. */
const CHOSEN_BY_PROJECT = /^(go|cargo|dotnet)$/;

/** These programs do many things. */
function isTestRun(name: string, args: readonly string[]): boolean {
  if (name === "node") return args.some((word) => word.startsWith("--test"));
  return (
    !/^(bun|cargo|deno|dotnet|go)$/.test(name) || args.some((word) => /^(test|nextest)$/.test(word))
  );
}

async function pythonVersion(
  module: "pytest" | "unittest",
  program: Program,
  cwd: string,
  env: Env,
): Promise<string | null> {
  const interpreter = await interpreterBehind(program, cwd, env);
  const place = interpreter && (await pythonPlace(interpreter, cwd, env));
  if (!place) return null;
  if (module === "unittest") return `python ${place.version}`;
  const version = await pytestVersion(place.sites);
  return version === null ? null : `pytest ${version}`;
}

/** An installed npm package. */
export interface InstalledPackage {
  name: string;
  folder: string;
  version: string;
}

/**
 * What decides about a test in each JavaScript runner: the runner and the parts of it that are packages of their own.
 * The first one gives the runner's version.
 */
const RUNNER_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  vitest: ["vitest", "@vitest/runner", "@vitest/expect", "@vitest/snapshot", "@vitest/spy", "chai"],
  jest: [
    "jest",
    "jest-cli",
    "@jest/core",
    "jest-runner",
    "jest-runtime",
    "jest-circus",
    "@jest/expect",
    "expect",
    "@jest/expect-utils",
  ],
  mocha: ["mocha", "chai", "expect"],
  _mocha: ["mocha", "chai", "expect"],
  playwright: ["@playwright/test", "playwright", "playwright-core"],
  ava: ["ava"],
  jasmine: ["jasmine", "jasmine-core"],
  tap: ["tap"],
  uvu: ["uvu"],
};

/** The packages of the runner that is started, the runner's own first; none for a runner that is no package. */
export async function runnerPackages(
  invocation: Invocation,
  program: Program,
): Promise<InstalledPackage[]> {
  const runner = runnerOf(invocation);
  if (runner === "phpunit" || runner === "pest") return vendored("phpunit/phpunit", program);
  const names = Object.hasOwn(RUNNER_PACKAGES, runner) ? (RUNNER_PACKAGES[runner] ?? []) : [];
  const from = [dirname(program.file), dirname(program.path), invocation.folder];
  const found: InstalledPackage[] = [];
  for (const name of names) {
    // Also from those that were found before: pnpm lets a package see its own dependencies only.
    for (const folder of [...from, ...found.map((one) => one.folder)]) {
      const one = await findPackage(name, folder);
      if (one === null) continue;
      found.push(one);
      break;
    }
  }
  return found;
}

const PACKAGE = /node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;

/** `vitest` for `vitest run` and `node node_modules/vitest/vitest.mjs run`. */
function runnerOf({ program, args }: Invocation): string {
  const name = programName(program);
  if (name !== "node") return name;
  const script = args.find((word) => !word.startsWith("-")) ?? "";
  const owner = PACKAGE.exec(script)?.[1] ?? "";
  return Object.keys(RUNNER_PACKAGES).find((one) => RUNNER_PACKAGES[one]?.includes(owner)) ?? name;
}

/** As Node resolves a package: in the nearest `node_modules` from `from` upwards, or `from` is inside of it. */
async function findPackage(name: string, from: string): Promise<InstalledPackage | null> {
  for (let folder = from; ; folder = dirname(folder)) {
    const one =
      (await packageAt(folder, name)) ??
      (await packageAt(join(folder, "node_modules", name), name));
    if (one !== null || folder === dirname(folder)) return one;
  }
}

const INSTALLED = /[/\\]node_modules[/\\]/;

async function packageAt(folder: string, name: string): Promise<InstalledPackage | null> {
  try {
    const json = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const real = await realpath(folder);
    // A project that works on this very package runs its own sources.
    if (json?.name !== name || !INSTALLED.test(real)) return null;
    return { name, folder: real, version: String(json.version ?? "") };
  } catch {
    return null;
  }
}

const Vendor = z.object({
  packages: z.array(z.object({ name: z.string(), version: z.string() })),
});

/** A package of Composer beside the program in `vendor/bin`. */
async function vendored(name: string, program: Program): Promise<InstalledPackage[]> {
  const vendor = dirname(dirname(program.path));
  const text = await readFile(join(vendor, "composer", "installed.json"), "utf8").catch(() => "{}");
  const known = Vendor.catch({ packages: [] }).parse(parsed(text)).packages;
  const version = known.find((one) => one.name === name)?.version;
  return version === undefined ? [] : [{ name: "phpunit", folder: join(vendor, name), version }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Where an interpreter looks for modules, without what the project itself adds. */
export interface PythonPlace {
  version: string;
  /** The interpreter itself, which a program such as a shim of pyenv only stands for. */
  executable: string;
  /** Of the standard library. */
  library: string;
  /** Folders with installed packages, in the order they are looked through. */
  sites: string[];
}

/** Runs nothing but the standard library: `-I -S` leaves out the project, its variables and its start-up files. */
const QUESTION = [
  "import json, os, site, sys",
  "here = os.path.dirname(os.path.dirname(sys.executable))",
  "own = os.path.exists(os.path.join(here, 'pyvenv.cfg'))",
  // Debian's Python without `site` answers with the system's own places for a virtual environment as well.
  "lib = os.path.join(here, 'lib', 'python%d.%d' % sys.version_info[:2], 'site-packages')",
  "sites = [lib] + site.getsitepackages([here]) if own else site.getsitepackages() + [site.getusersitepackages()]",
  "print(json.dumps({'version': sys.version.split()[0], 'executable': sys.executable, 'library': os.path.dirname(os.__file__), 'sites': sites}))",
].join("\n");

const PythonAnswer = z.object({
  version: z.string(),
  executable: z.string(),
  library: z.string(),
  sites: z.array(z.string()),
});

/** Null when the interpreter cannot be asked, or is a file of the project's own. */
export async function pythonPlace(
  interpreter: Program,
  cwd: string,
  env: Env,
): Promise<PythonPlace | null> {
  if (isInside(cwd, interpreter.file)) return null;
  const text = await outputOfProgram(interpreter.path, ["-I", "-S", "-c", QUESTION], cwd, env);
  try {
    return PythonAnswer.parse(JSON.parse(text ?? ""));
  } catch {
    return null;
  }
}

/** The interpreter behind `python`, or behind a script such as `pytest`; else the one of the PATH. */
export async function interpreterBehind(
  program: Program,
  cwd: string,
  env: Env,
): Promise<Program | null> {
  if (PYTHON.test(program.path)) return program;
  const named = await interpreterOf(program);
  const words = named !== null && PYTHON.test(named) ? [named] : [];
  for (const word of [...words, "python3", "python"]) {
    const found = await findProgram(word, cwd, env);
    if (found !== null) return found;
  }
  return null;
}

const PYTHON = /(^|[/\\])python(\d[\d.]*)?(\.exe)?$/;

/** The test module that a command starts: `pytest`, `python -m pytest`, `python -m unittest`; null for any other. */
export function pythonModule(
  program: string,
  args: readonly string[],
): "pytest" | "unittest" | null {
  if (/(^|[/\\])(pytest|py\.test)(\.exe)?$/.test(program)) return "pytest";
  const module = PYTHON.test(program) ? args[args.indexOf("-m") + 1] : undefined;
  return module === "pytest" || module === "unittest" ? module : null;
}

/** pytest's version by its own file; null when it is not installed there. */
export async function pytestVersion(sites: readonly string[]): Promise<string | null> {
  for (const site of sites) {
    const text = await readFile(join(site, "_pytest", "_version.py"), "utf8").catch(() => "");
    const version = /^(?:__version__ = )?version = ["']([^"']+)["']/m.exec(text)?.[1];
    if (version !== undefined) return version;
  }
  return null;
}
