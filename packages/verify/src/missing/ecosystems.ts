import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installCommand, missingPackages, within } from "./packages.ts";

/** How the output of tests says that something is not installed. */
export interface Ecosystem {
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
  const texts = manifests.map((file) => readFileSync(join(folder, file), "utf8"));
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

export const ECOSYSTEMS: readonly Ecosystem[] = [
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
