import { existsSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type PlanPart, tryParseJson } from "@ccw-loop/core";
import { processes } from "@ccw-loop/processes";
import { z } from "zod";
import { machineFolders } from "../process/environment.ts";
import { runCommand } from "../process/run-command.ts";
import { foldersUp, textOf } from "../project-files.ts";
import { type RunnerName, runnerNamed } from "./table.ts";

type Env = Readonly<Record<string, string>>;

/** Where the version of a package of npm stands: in the first of these that is installed. */
const PACKAGES: Partial<Record<RunnerName, readonly string[]>> = {
  vitest: ["vitest"],
  jest: ["jest", "jest-cli"],
  mocha: ["mocha"],
  ava: ["ava"],
  playwright: ["@playwright/test", "playwright"],
  tap: ["tap"],
  tape: ["tape"],
  uvu: ["uvu"],
  borp: ["borp"],
};

/** A program's name, the command that prints its version, and where that stands in the answer. */
type Program = readonly [name: string, command: string, version: RegExp];

/** Programs that know the version. */
const PROGRAMS: Partial<Record<RunnerName, Program>> = {
  "node-test": ["node", "node --version", /^v(\S+)/m],
  bun: ["bun", "bun --version", /^(\d\S*)/m],
  pytest: ["pytest", "pytest --version", /^pytest (\S+)/m],
  unittest: ["python", "python3 --version", /^Python (\S+)/m],
  go: ["go", "go version", /go(\d\S*)/],
  cargo: ["cargo", "cargo --version", /^cargo (\S+)/m],
  nextest: ["cargo", "cargo --version", /^cargo (\S+)/m],
  dotnet: ["dotnet", "dotnet --version", /^(\d\S*)/m],
  maven: ["mvn", "mvn --version", /Apache Maven (\S+)/],
  gradle: ["gradle", "gradle --version", /^Gradle (\S+)/m],
  phpunit: ["phpunit", "phpunit --version", /PHPUnit (\S+)/],
  rspec: ["rspec", "rspec --version", /rspec-core (\S+)/],
};
/** The project's files may name the version that these use. */
const CHOSEN_BY_PROJECT = new Set(["go", "cargo", "dotnet"]);

/**
 * Name and version of the runner that a command is asked for, such as `vitest 4.1.0` or `go 1.22.1`; null where it is
 * unknown. No program of the project is started for it: what it installed is read from its files.
 */
export async function runnerVersion(
  { command, report }: PlanPart,
  cwd: string,
  env: Env,
): Promise<string | null> {
  if (!runnerNamed(report)) return null;
  const runner = report as RunnerName;
  const packages = PACKAGES[runner];
  if (packages) return named(runner, packageVersion(packages, cwd));
  const program = PROGRAMS[runner];
  if (!program) return null;
  const installed = INSTALLED[runner]?.(cwd, env);
  const [name] = program;
  if (installed != null) return named(name, installed);
  // A program that is named by its path, such as `./gradlew`, is another one than that of the PATH.
  if (new RegExp(`[/\\\\]${name}[\\w.]*(\\s|$)`).test(command)) return null;
  return named(name, await askedVersion(program, cwd, env));
}

function named(name: string, version: string | null | undefined): string | null {
  return version == null ? null : `${name} ${version}`;
}

const Package = z.object({ version: z.string() });

/** As Node finds a package: in the nearest `node_modules` from the folder upwards. */
function packageVersion(names: readonly string[], cwd: string): string | null {
  for (const name of names) {
    for (const folder of foldersUp(cwd)) {
      const found = readJson(join(folder, "node_modules", name, "package.json"), Package);
      if (found) return found.version;
    }
  }
  return null;
}

/** Versions that a project's own installation holds. */
const INSTALLED: Partial<Record<RunnerName, (cwd: string, env: Env) => string | undefined>> = {
  pytest: (cwd, env) =>
    virtualEnvironments(cwd, env)
      .flatMap((folder) => namesIn(join(folder, "lib")).map((name) => join(folder, "lib", name)))
      .flatMap((library) => namesIn(join(library, "site-packages")))
      .map((name) => /^pytest-(\d[^-]*)\.dist-info$/.exec(name)?.[1])
      .find((version) => version !== undefined),
  unittest: (cwd, env) =>
    virtualEnvironments(cwd, env)
      .map((folder) => textOf(join(folder, "pyvenv.cfg")) ?? "")
      .map((text) => /^version(?:_info)? = (\d+\.\d+\.\d+)/m.exec(text)?.[1])
      .find((version) => version !== undefined),
  phpunit: (cwd) =>
    readJson(join(cwd, "vendor", "composer", "installed.json"), Vendor)?.packages.find(
      ({ name }) => name === "phpunit/phpunit",
    )?.version,
};

const Vendor = z.object({
  packages: z.array(z.object({ name: z.string(), version: z.string() })),
});

function virtualEnvironments(cwd: string, env: Env): string[] {
  return [join(cwd, ".venv"), env.VIRTUAL_ENV ?? ""].filter((folder) => existsSync(folder));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readJson<T>(file: string, schema: z.ZodType<T>): T | undefined {
  return schema.safeParse(tryParseJson(textOf(file))).data;
}

const PATIENCE_MS = 5000;
const GRACE_MS = 200;
/** They work for no loop, and are over in a moment. */
const UNREGISTERED = processes();

/** What a program of the machine says of itself; null when it is not there, fails or hangs, or the project has its own. */
async function askedVersion(
  [name, command, version]: Program,
  cwd: string,
  env: Env,
): Promise<string | null> {
  const path = env.PATH ?? "";
  const folders = machineFolders(path, cwd);
  const [word = ""] = command.split(" ");
  const isOwn = (folder: string) =>
    !folders.includes(folder) && existsSync(resolve(cwd, folder, word));
  if (path.split(delimiter).some(isOwn)) return null;
  if (name === "node" && isThisNode(folders)) return process.versions.node;
  try {
    const end = await runCommand(command, {
      cwd: CHOSEN_BY_PROJECT.has(name) ? cwd : tmpdir(),
      env: { ...env, PATH: folders.join(delimiter) },
      processes: UNREGISTERED,
      signal: new AbortController().signal,
      timeoutMs: PATIENCE_MS,
      graceMs: GRACE_MS,
      onStdout: () => {},
    });
    const answer = end.exitCode === 0 ? stripVTControlCharacters(end.outputTail) : "";
    return version.exec(answer)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Whether the first Node of the PATH is the one that runs us. */
function isThisNode(folders: readonly string[]): boolean {
  const first = folders.map((folder) => join(folder, "node")).find((file) => existsSync(file));
  return first !== undefined && realpathSync(first) === realpathSync(process.execPath);
}
