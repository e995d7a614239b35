import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import {
  firstOf,
  type Missing,
  typedCommand,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import { nearestLock, readPackage } from "./detect/javascript.ts";
import { foldersUp, textOf } from "./project-files.ts";

/** Names beyond these are counted. */
const NAMED = 3;
const SERVICE =
  /ECONNREFUSED ([\w.:[\]-]+:\d+)|[Cc]onnection (?:to server )?(?:at "?([\w.-]+)"?,? )?(?:\(.*\) )?.*?port (\d+) failed|[Cc]onnection refused.*?:(\d+)/;
const COMPOSE = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/**
 * What the tests need and what is not there, where a run of them, or the attempt to start one, came to no test that passed.
 * What an ordinary red test says is none of it.
 */
export function missingFor(plan: VerifyPlan, cwd: string, run: Verification | null): Missing[] {
  if (run !== null && run.counts.passed > 0) return [];
  const submodules = emptySubmodules(cwd);
  if (submodules.length > 0) {
    const message = `${firstOf(submodules, NAMED)} ${submodules.length === 1 ? "is an empty submodule" : "are empty submodules"}.`;
    return [{ message, command: "git submodule update --init --recursive" }];
  }
  const folders = [...new Set(plan.parts.map(({ folder = "" }) => join(cwd, folder)))];
  const found = folders.flatMap((folder) => notInstalled(cwd, folder, run) ?? []);
  // The output is that of all: where one folder tells what brings it, it is none of another one.
  const known = found.filter(({ command }) => command !== null);
  if (found.length > 0) return known.length > 0 ? known : found.slice(0, 1);
  const service = run === null ? null : silentService(cwd, run.output_tail);
  return service === null ? [] : [service];
}

function notInstalled(cwd: string, folder: string, run: Verification | null): Missing | null {
  // A command that could not be started has said nothing.
  if (run === null) {
    const names = missingPackages(folder);
    return names.length === 0 ? null : packagesMissing(names, installCommand(cwd, folder));
  }
  for (const { says, isForeign, command } of INSTALLERS) {
    const name = says.exec(run.output_tail)?.[1];
    if (name === undefined || !isForeign(folder, name)) continue;
    const names = missingPackages(folder);
    const install = command(cwd, folder);
    if (command === installCommand) return packagesMissing(names, install);
    return { message: `${name} is not installed.`, command: install };
  }
  return null;
}

function packagesMissing(names: readonly string[], command: string | null): Missing {
  const are = names.length === 1 ? "is" : "are";
  return { message: `${firstOf(names, NAMED)} ${are} not installed.`, command };
}

/** Folders of `.gitmodules` that nothing was fetched into. */
function emptySubmodules(cwd: string): string[] {
  const modules = textOf(join(cwd, ".gitmodules")) ?? "";
  const paths = [...modules.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)];
  return paths.map(([, path = ""]) => path).filter((path) => isEmpty(join(cwd, path)));
}

function silentService(cwd: string, output: string): Missing | null {
  const match = SERVICE.exec(output);
  if (!match) return null;
  const [, address, host = "127.0.0.1", port, other] = match;
  const compose = COMPOSE.find((name) => existsSync(join(cwd, name)));
  return {
    message: `The service at ${address ?? `${host}:${port ?? other}`} does not answer.`,
    command: compose === undefined ? null : "docker compose up -d",
  };
}

/** Packages that a folder's package.json names and Node would not find from there; none where Yarn keeps them elsewhere. */
export function missingPackages(folder: string): string[] {
  const found = readPackage(folder);
  if (!found || existsAbove(folder, ".pnp.cjs")) return [];
  const named = [...Object.keys(found.dependencies), ...Object.keys(found.devDependencies)];
  return named.filter((name) => !existsAbove(folder, join("node_modules", name)));
}

/** The command that installs them, for a shell in `cwd`; what lies above that is not touched. */
export function installCommand(cwd: string, folder: string): string {
  const lock = nearestLock(folder);
  if (lock === null || relative(cwd, lock.folder).startsWith("..")) {
    return within(cwd, folder, "npm install");
  }
  return within(cwd, lock.folder, lock.manager === "npm" ? "npm ci" : `${lock.manager} install`);
}

/** A command for a folder as it is typed in `cwd`. */
export function within(cwd: string, folder: string, command: string): string {
  const path = relative(cwd, folder);
  return typedCommand(path === "" ? { command } : { command, folder: path });
}

/** Whether a path is there in the folder or one above it. */
function existsAbove(folder: string, path: string): boolean {
  return [...foldersUp(folder)].some((at) => existsSync(join(at, path)));
}

/** Whether a folder is missing or has nothing in it. */
export function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
}

/** How the output of tests says that something is not installed. */
export interface Installer {
  /** Its first group is what could not be found. */
  says: RegExp;
  /** Whether that is nothing of the project's own, which is the work's to mend. */
  isForeign: (folder: string, name: string) => boolean;
  /** What installs it, for a shell in `cwd`; null where nobody can tell. */
  command: (cwd: string, folder: string) => string | null;
}

/** The words of shells, which differ. */
const NOT_FOUND =
  /^(?:\S*\/)?(?:ba|da|z|a)?sh: (?:(?:line )?\d+: )?([\w@.+-]+): (?:command )?not found$/m;
const yes = () => true;
const first = (folder: string, options: readonly [file: string, command: string][]) =>
  options.find(([file]) => existsSync(join(folder, file)))?.[1] ?? null;
/** A command in the folder of the tests. */
const there =
  (options: readonly [file: string, command: string][]) => (cwd: string, folder: string) => {
    const command = first(folder, options);
    return command === null ? null : within(cwd, folder, command);
  };

const isPackage = (folder: string, name: string) => {
  const missing = missingPackages(folder);
  const found = /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
  // A program may be called otherwise than its package.
  return (
    missing.includes(found) || (missing.length > 0 && !existsSync(join(folder, "node_modules")))
  );
};

/** Where a project of Python says what it needs. */
const PYTHON_MANIFESTS =
  /^(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|(?:.*[-_.])?requirements?(?:[-_.].*)?\.(?:txt|in))$/;

/**
 * Whether a project asks for a module: by its name, or as a part of one that has several words (`python-dateutil`). One
 * that nothing asks for may be what the work has yet to write.
 */
const isRequiredModule = (folder: string, name: string) => {
  const words = (text: string) => text.toLowerCase().split(/[-_.]/);
  const [top = ""] = name.split(".");
  const wanted = words(top).join("-");
  const manifests = readdirSync(folder).filter((file) => PYTHON_MANIFESTS.test(file));
  const texts = manifests.map((file) => textOf(join(folder, file)) ?? "");
  const names = texts.flatMap((text) =>
    [...text.matchAll(/(?:^|["'])\s*([A-Za-z][\w.-]*)/gm)].map(([, one = ""]) => words(one)),
  );
  return names.some(
    (one) => one.join("-") === wanted || one.includes(wanted) || one[0] === `py${wanted}`,
  );
};

/** Nothing that lies in the project is to be installed. */
const isForeignModule = (folder: string, name: string) => {
  const [top = ""] = name.split(".");
  if (top === "pytest") return true;
  const places = ["", "src", "lib", "tests", "test"].map((place) => join(folder, place, top));
  const isOwn = places.some((place) => existsSync(place) || existsSync(`${place}.py`));
  return !isOwn && isRequiredModule(folder, name);
};

export const INSTALLERS: readonly Installer[] = [
  {
    says: /(?:Cannot find (?:module|package)|Failed to (?:resolve import|load url)) ["']([^"'./][^"']*)["']/,
    isForeign: isPackage,
    command: installCommand,
  },
  { says: NOT_FOUND, isForeign: isPackage, command: installCommand },
  {
    says: /No module named ["']?([\w.]+)/,
    isForeign: isForeignModule,
    command: there([
      ["uv.lock", "uv sync"],
      ["poetry.lock", "poetry install"],
      ["Pipfile", "pipenv install --dev"],
      ["requirements-dev.txt", "python3 -m pip install -r requirements-dev.txt"],
      ["requirements.txt", "python3 -m pip install -r requirements.txt"],
      ["pyproject.toml", "python3 -m pip install -e ."],
      ["setup.py", "python3 -m pip install -e ."],
    ]),
  },
  {
    says: /(?:missing go\.sum entry for module providing package|no required module provides package) (\S+?)[:;]?\s/,
    isForeign: yes,
    command: there([["go.mod", "go mod download"]]),
  },
  {
    says: /(?:Could not find gem|bundler: command not found:|Could not find) ["']?([\w-]+)/,
    isForeign: (folder) => existsSync(join(folder, "Gemfile")),
    command: there([["Gemfile", "bundle install"]]),
  },
  {
    says: /Failed opening required ['"].*?(vendor\/autoload\.php)/,
    isForeign: (folder, path) => !existsSync(join(folder, path)),
    command: there([["composer.json", "composer install"]]),
  },
  {
    says: /(?:failed to (?:download|get)|no matching package named) `([\w-]+)/,
    isForeign: yes,
    command: there([["Cargo.toml", "cargo fetch"]]),
  },
  {
    says: /Can't locate (\S+\.pm) in @INC/,
    isForeign: (folder, path) => !existsSync(join(folder, "lib", path)),
    command: there([["cpanfile", "cpanm --installdeps ."]]),
  },
  { says: NOT_FOUND, isForeign: yes, command: () => null },
];
