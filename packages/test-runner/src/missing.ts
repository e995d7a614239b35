import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import {
  firstOf,
  isLoopError,
  type Missing,
  typedCommand,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import { foldersUp } from "@ccw-loop/processes/plain-file";
import { nearestLock, readPackage } from "./detect/javascript.ts";
import { testEnvironment } from "./process/environment.ts";
import { requireProgram } from "./process/run-command.ts";
import { textOf } from "./project-files.ts";

/** Names beyond these are counted. */
const NAMED = 3;
/** What shells say, each in its own way, and Python of a runner that is no program of its own. */
const NO_PROGRAM =
  /^(?:\S*\/)?(?:ba|da|z|a)?sh: (?:(?:line )?\d+: )?([\w@.+-]+): (?:command )?not found$|No module named (pytest)$/m;
const COMPOSE = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/**
 * What the tests need and what is not there, where a run of them, or the attempt to start one, came to no test that passed.
 * What an ordinary red test says is none of it.
 */
export function missingFor(
  plan: VerifyPlan,
  cwd: string,
  run: Verification | null,
  env: Readonly<Record<string, string>> = {},
): Missing[] {
  if (run !== null && run.counts.passed > 0) return [];
  const submodules = emptySubmodules(cwd);
  if (submodules.length > 0) {
    const message = `${firstOf(submodules, NAMED)} ${submodules.length === 1 ? "is an empty submodule" : "are empty submodules"}.`;
    return [{ message, command: "git submodule update --init --recursive" }];
  }
  // A command that could not be started has said nothing.
  const output = run?.output_tail ?? null;
  const folders = [...new Set(plan.parts.map(({ folder = "" }) => join(cwd, folder)))];
  const found = folders.flatMap((folder) => notInstalled(cwd, folder, output) ?? []);
  if (found.length > 0) return found;
  if (output === null) return programsMissing(plan, cwd, env);
  const program = programMissing(output);
  if (program !== undefined) return [programToInstall(program)];
  const service = silentService(cwd, output);
  return service === null ? [] : [service];
}

/** What the project in a folder asks for and does not have, as far as the output speaks of it. */
function notInstalled(cwd: string, folder: string, output: string | null): Missing | null {
  const packages = missingPackages(folder);
  if (packages.length > 0 && (output === null || isOfPackages(output, packages, folder))) {
    const are = packages.length === 1 ? "is" : "are";
    const message = `${firstOf(packages, NAMED)} ${are} not installed.`;
    return { message, command: installCommand(cwd, folder) };
  }
  for (const { says, commands, isForeign } of INSTALLERS) {
    const name = says.exec(output ?? "")?.[1];
    const command = commands.find(([file]) => existsSync(join(folder, file)))?.[1];
    if (name === undefined || command === undefined || !isForeign(folder, name)) continue;
    return { message: `${name} is not installed.`, command: within(cwd, folder, command) };
  }
  return null;
}

/** Folders of `.gitmodules` that nothing was fetched into. */
function emptySubmodules(cwd: string): string[] {
  const modules = textOf(join(cwd, ".gitmodules")) ?? "";
  const paths = [...modules.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)];
  return paths.map(([, path = ""]) => path).filter((path) => isEmpty(join(cwd, path)));
}

/** Whether a folder is missing or has nothing in it. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
}

/** Programs that commands begin with and nobody finds; one with a path is the project's own, which the work may be to make. */
function programsMissing(
  { parts }: VerifyPlan,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Missing[] {
  const names = parts.flatMap(({ command, folder = "" }) => {
    const place = join(cwd, folder);
    try {
      requireProgram(command, place, testEnvironment(process.env, place, env));
      return [];
    } catch (error) {
      if (!isLoopError(error, "verify_unavailable")) throw error;
      const { program } = error.details;
      return typeof program === "string" && !program.includes("/") ? [program] : [];
    }
  });
  return [...new Set(names)].map(programToInstall);
}

const programToInstall = (name: string): Missing => ({
  message: `${name} is not installed.`,
  command: null,
});

function programMissing(output: string): string | undefined {
  const [, program, module] = NO_PROGRAM.exec(output) ?? [];
  return program ?? module;
}

/** By a line that says so and names an address or a port. */
function silentService(cwd: string, output: string): Missing | null {
  const line = output.split("\n").find((one) => /ECONNREFUSED|connection refused/i.test(one)) ?? "";
  const [address] = [...line.matchAll(/[\w.:[\]-]*[\w\]]:\d+|port[ =]\d+/g)].at(-1) ?? [];
  if (address === undefined) return null;
  const compose = COMPOSE.find((name) => existsSync(join(cwd, name)));
  return {
    message: `The service at ${address.replace("=", " ")} does not answer.`,
    command: compose === undefined ? null : "docker compose up -d",
  };
}

/** Packages that a folder's package.json names and Node would not find from there; none where Yarn keeps them elsewhere. */
function missingPackages(folder: string): string[] {
  const found = readPackage(folder);
  if (!found || existsAbove(folder, ".pnp.cjs")) return [];
  const named = [...Object.keys(found.dependencies), ...Object.keys(found.devDependencies)];
  return named.filter((name) => !existsAbove(folder, join("node_modules", name)));
}

/** Whether an output quotes one of them, or says that a program is missing, which may be called otherwise than its package. */
function isOfPackages(output: string, packages: readonly string[], folder: string): boolean {
  const quoted = [...output.matchAll(/["'`]((?:@[^"'`/]+\/)?[^"'`/]+)/g)].map(([, name]) => name);
  const program = programMissing(output);
  return (
    [...quoted, program].some((name) => name !== undefined && packages.includes(name)) ||
    (program !== undefined && !existsSync(join(folder, "node_modules")))
  );
}

/** The command that installs them, for a shell in `cwd`; what lies above that is not touched. */
function installCommand(cwd: string, folder: string): string {
  const lock = nearestLock(folder);
  if (lock === null || relative(cwd, lock.folder).startsWith("..")) {
    return within(cwd, folder, "npm install");
  }
  return within(cwd, lock.folder, lock.manager === "npm" ? "npm ci" : `${lock.manager} install`);
}

/** A command for a folder as it is typed in `cwd`. */
function within(cwd: string, folder: string, command: string): string {
  const path = relative(cwd, folder);
  return typedCommand(path === "" ? { command } : { command, folder: path });
}

/** Whether a path is there in the folder or one above it. */
function existsAbove(folder: string, path: string): boolean {
  return foldersUp(folder).some((at) => existsSync(join(at, path)));
}

/** Where a project of Python says what it needs. */
const PYTHON_MANIFESTS =
  /^(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|.*requirement.*\.(?:txt|in))$/;

/**
 * Whether a module is none of the project's own and the project asks for it: by its name, or as a part of one that has several
 * words (`python-dateutil`). One that nothing asks for may be what the work has yet to write.
 */
function isForeignModule(folder: string, name: string): boolean {
  const [top = ""] = name.split(".");
  const places = ["", "src", "lib", "tests", "test"].map((place) => join(folder, place, top));
  if (places.some((place) => existsSync(place) || existsSync(`${place}.py`))) return false;
  const word = new RegExp(`(?<![a-z0-9])(?:py)?${top.replaceAll("_", "[-_.]")}(?![a-z0-9])`, "i");
  const manifests = readdirSync(folder).filter((file) => PYTHON_MANIFESTS.test(file));
  return manifests.some((file) => word.test(textOf(join(folder, file)) ?? ""));
}

/** How the interpreter of a language says that something is not installed, where the files of a project do not show it. */
interface Installer {
  /** Its first group is what could not be found. */
  says: RegExp;
  /** The first whose file is in the folder. */
  commands: readonly [file: string, command: string][];
  /** Whether that is nothing of the project's own, which is the work's to mend. */
  isForeign: (folder: string, name: string) => boolean;
}

const INSTALLERS: readonly Installer[] = [
  {
    says: /No module named ["']?([\w.]+)/,
    commands: [
      ["uv.lock", "uv sync"],
      ["poetry.lock", "poetry install"],
      ["Pipfile", "pipenv install --dev"],
      ["requirements-dev.txt", "python3 -m pip install -r requirements-dev.txt"],
      ["requirements.txt", "python3 -m pip install -r requirements.txt"],
      ["pyproject.toml", "python3 -m pip install -e ."],
      ["setup.py", "python3 -m pip install -e ."],
    ],
    isForeign: isForeignModule,
  },
  {
    says: /(?:Could not find(?: gem)?|bundler: command not found:) ["']?([\w-]+)/,
    commands: [["Gemfile", "bundle install"]],
    isForeign: () => true,
  },
  {
    says: /(vendor\/autoload\.php)/,
    commands: [["composer.json", "composer install"]],
    isForeign: (folder, path) => !existsSync(join(folder, path)),
  },
  {
    says: /Can't locate (\S+\.pm) in @INC/,
    commands: [["cpanfile", "cpanm --installdeps ."]],
    isForeign: (folder, path) => !existsSync(join(folder, "lib", path)),
  },
];
