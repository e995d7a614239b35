import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { stripVTControlCharacters } from "node:util";
import type { PlanPart } from "@ccw-loop/core";
import { isInside } from "../files/inside.ts";
import { outputOfProgram } from "./answer.ts";
import { type Invocation, invocationsOf, programName } from "./invocations.ts";
import { runnerPackages } from "./packages.ts";
import { findProgram, type Program } from "./programs.ts";
import { interpreterBehind, pytestVersion, pythonModule, pythonPlace } from "./python.ts";
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
