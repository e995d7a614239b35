import { constants, existsSync } from "node:fs";
import { cp, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LoopError, type Objection, objectionOf } from "@ccw-loop/core";
import type { SquareDeps } from "./rooms.ts";

const INSTALL_MS = 10 * 60_000;
const NAMED = 3;

/** Files that say exactly what is installed, in which folder that is, and the command that does it without scripts. */
const LOCKFILES: readonly { file: string; folder: string; command: string }[] = [
  ...["package-lock.json", "npm-shrinkwrap.json"].map((file) => ({
    file,
    folder: "node_modules",
    command: "npm ci --ignore-scripts --prefer-offline --no-audit --no-fund",
  })),
  {
    file: "pnpm-lock.yaml",
    folder: "node_modules",
    // Copies: what shares its files with the store shares them with the project as well.
    command:
      "pnpm install --frozen-lockfile --ignore-scripts --prefer-offline --package-import-method copy",
  },
  {
    file: "yarn.lock",
    folder: "node_modules",
    command:
      "if [ -e .yarnrc.yml ]; then yarn install --immutable --mode=skip-build; else yarn install --frozen-lockfile --ignore-scripts --prefer-offline; fi",
  },
  ...["bun.lock", "bun.lockb"].map((file) => ({
    file,
    folder: "node_modules",
    command: "bun install --frozen-lockfile --ignore-scripts",
  })),
  { file: "uv.lock", folder: ".venv", command: "uv sync --frozen" },
  {
    file: "poetry.lock",
    folder: ".venv",
    command: "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
  },
  ...[".venv", "venv"].map((folder) => ({
    file: "requirements.txt",
    folder,
    command: `python3 -m venv ${folder} && ${folder}/bin/python -m pip install -q -r requirements.txt`,
  })),
];

/** An installed folder of a room, and how it comes to be what a lockfile says. */
interface Installation {
  /** The folder that holds the lockfile. */
  at: string;
  lockfile: string;
  /** Of the room: by its `/` path from the top. */
  folder: string;
  command: string;
}

/** What was installed for earlier rooms, as no test has seen it: the folder of copies for each text of lockfiles. */
export type InstalledBefore = Map<string, string>;

/** Installed folders, from the top of the project, in which one of these files is. */
export function foldersOf(changed: readonly string[]): string[] {
  const found = changed.flatMap(
    (path) => /^((?:.*?\/)??(?:node_modules|\.venv|venv))\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(found)];
}

/**
 * Installs packages anew in a room, where the project's own are not what they were when the loop began: by the lockfile
 * that lies in the room. What no lockfile describes stays as the room has it: without the files that changed. Throws
 * `invalid_input` where it cannot be installed.
 */
export async function installAnew(
  { verifier, scope, signal }: Pick<SquareDeps, "verifier" | "scope" | "signal">,
  { top, keep, before }: { top: string; keep: string; before: InstalledBefore },
  changed: readonly string[],
): Promise<void> {
  const all = foldersOf(changed).flatMap((path) => installationFor(top, path) ?? []);
  for (const { folder } of all) await rm(join(top, folder), { recursive: true, force: true });
  const texts = await Promise.all(all.map(({ lockfile }) => readFile(lockfile, "utf8")));
  // Programs of Python know the path that they were installed in.
  const movable = all.every(({ folder }) => folder.endsWith("node_modules"));
  const kept = movable ? before.get(texts.join("\n")) : undefined;
  if (kept !== undefined) return copyFolders(all, kept, top);
  for (const [at, command] of new Map(all.map((one) => [one.at, one.command]))) {
    const options = { cwd: at, signal, timeoutMs: INSTALL_MS, scope };
    const { exit_code, output } = await verifier.probe(command, options);
    if (exit_code === 0) continue;
    const last = output.trim().split("\n").at(-1) ?? "";
    const message = `Installed packages changed since the loop began, and "${command}" fails: ${last}`;
    throw new LoopError("invalid_input", message.slice(0, 500));
  }
  if (!movable) return;
  await copyFolders(all, top, keep);
  before.set(texts.join("\n"), keep);
}

async function copyFolders(all: readonly Installation[], from: string, to: string): Promise<void> {
  const options = { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE };
  for (const { folder } of all) {
    if (existsSync(join(from, folder))) await cp(join(from, folder), join(to, folder), options);
  }
}

/** By the nearest lockfile, from the folder above the installed one up to the top of the room. */
function installationFor(top: string, path: string): Installation | null {
  const name = path.split("/").at(-1);
  for (let at = dirname(path); ; at = dirname(at)) {
    const found = LOCKFILES.find(
      ({ file, folder }) => folder === name && existsSync(join(top, at, file)),
    );
    if (found) {
      const place = join(top, at);
      return { at: place, lockfile: join(place, found.file), folder: path, command: found.command };
    }
    if (at === ".") return null;
  }
}

/** Which of the changed files no lockfile of the room describes. */
export function withoutLockfile(top: string, changed: readonly string[]): string[] {
  return changed.filter((path) => {
    const [folder] = foldersOf([path]);
    return folder === undefined || installationFor(top, folder) === null;
  });
}

/** The tests of a room reached what is installed in the project. */
export function objectionToWriting(paths: readonly string[]): Objection {
  const message = `Tests that ran in the clean room changed what is installed in the project: ${named(paths)}.`;
  return objectionOf("packages", [], message);
}

/** Said beside a verdict that says no: the reason may be here. */
export function objectionToPackages(paths: readonly string[]): Objection {
  const message = `Installed packages changed since the loop began, and no lockfile says how to install them anew, so the clean room is without them: ${named(paths)}.`;
  return objectionOf("packages", [], message);
}

function named(paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  return `${paths.slice(0, NAMED).join(", ")}${more}`;
}
