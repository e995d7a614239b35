import { spawnSync } from "node:child_process";
import { constants, existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readlink, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Checkout, VerifyOptions } from "@ccw-loop/core";
import { ownProgram } from "@ccw-loop/processes/programs";
import type { RunSettings } from "../process/run-command.ts";
import { namedUser, OTHER_USER } from "./account.ts";
import { coversSince } from "./hide-newer.ts";

/** Paths that may stand in any text of a program without more ado. */
const QUOTABLE = /^[^'"\\\n]+$/;
/** Of what stands beside a project's files: shown as it is, and not as a copy. */
const READ_ONLY = new Set([".git", ".workflow"]);
/** Packages are linked. */
const PACKAGES = "node_modules";
/** A folder with more files is shown as it is, and more entries of the project are not looked at. */
const [FILES, ENTRIES] = [1000, 20_000];

/** Where programs run with the files of a room. */
export interface RunPlace {
  /** The project's root as they see it. */
  cwd: string;
  /** Words in front of a command that is run in a folder of the room; null where they see the room where it is. */
  wrap: ((folder: string) => string[]) | null;
  /** A text with the room's path as they see it. */
  shown: (text: string) => string;
}

/**
 * The room at the project's own path, with the repository and all else that stands beside its files there, and what is
 * installed: as those who use the project have it. Without bubblewrap, the room where it is.
 */
export async function mountAtProject(room: Checkout, hidden: readonly string[]): Promise<RunPlace> {
  const { cwd, project, top, linked, without = [] } = room;
  const bubblewrap = bubblewrapBeside(project);
  if (!QUOTABLE.test(project) || bubblewrap === null) {
    return { cwd, wrap: null, shown: (text) => text };
  }
  const excluded = new Set(without.map((path) => join(cwd, path)));
  const readable = await copyMissingFiles(project, top, excluded);
  for (const folder of linked) {
    const own = join(top, relative(project, folder));
    readable.push(...(basename(folder) === PACKAGES ? await mountsFor(own, room) : [folder]));
  }
  const shown = (text: string) => text.replaceAll(top, project);
  const wrap = [
    // What tests replaced by a stand-in is not replaced there, and must reach nobody.
    ...[...onOtherMachine(bubblewrap, room), ...isolatedNetwork(bubblewrap)],
    ...["--bind", top, project],
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...hidden.filter((folder) => existsSync(folder)).flatMap((folder) => ["--tmpfs", folder]),
  ];
  return {
    cwd: shown(cwd),
    wrap: (folder) => [...wrap, "--chdir", shown(folder), "--die-with-parent", "--"],
    shown,
  };
}

/** The room where it is, without the project. */
export function placeInRoom(room: Checkout, hidden: readonly string[]): RunPlace {
  const prefix = sandboxCommand(room, { hidden });
  return { cwd: room.cwd, wrap: prefix && (() => prefix), shown: (text) => text };
}

/** Options for a network of its own, where the system allows that. */
const isolatedNetwork = (bubblewrap: string) => whereAllowed(bubblewrap, ["--unshare-net"]);

/** Options for another name than that of the machine: the one that programs can resolve everywhere. */
const otherHostName = (bubblewrap: string) =>
  whereAllowed(bubblewrap, ["--unshare-uts", "--hostname", "localhost"]);

/** The beginning of a command for a room: who runs it, and where, are others than those of the loop. */
function onOtherMachine(bubblewrap: string, { top, surroundings }: Room): string[] {
  const beside = dirname(top);
  const user = whereAllowed(bubblewrap, OTHER_USER);
  const name = user.length > 0 ? namedUser(join(beside, "account")) : [];
  const covers = surroundings ? coversSince(surroundings, beside) : [];
  const start = [bubblewrap, ...user, ...otherHostName(bubblewrap), "--dev-bind", "/", "/"];
  return [...start, ...name, ...covers];
}

function whereAllowed(bubblewrap: string, options: string[]): string[] {
  const isAllowed = worksHere([bubblewrap, ...options, "--dev-bind", "/", "/", "true"]);
  return isAllowed ? options : [];
}

/**
 * Gives a room what it lacks of the project's (ignored files, empty folders, modes), but for `excluded` paths of the room:
 * as copies, for tests may be built into them. Paths of the project that are to be shown to read, such as large folders,
 * are returned.
 */
async function copyMissingFiles(
  project: string,
  top: string,
  excluded: ReadonlySet<string>,
): Promise<string[]> {
  const readable: string[] = [];
  let entries = 0;
  const copyInto = async (folder: string, from: string): Promise<void> => {
    for (const name of await readdir(from)) {
      entries += 1;
      if (entries > ENTRIES) return;
      const [source, target] = [join(from, name), join(folder, name)];
      const found = lstatSync(source, { throwIfNoEntry: false });
      const own = lstatSync(target, { throwIfNoEntry: false });
      if (excluded.has(target) || name === PACKAGES) continue;
      if (own && found?.isFile() && own.isFile() && own.mode !== found.mode) {
        await chmod(target, found.mode);
      } else if (own && found?.isDirectory() && own.isDirectory()) {
        await copyInto(target, source);
      } else if (!own && (found?.isFile() || found?.isDirectory())) {
        if (READ_ONLY.has(name) || !(await copyUnlessLarge(source, target, excluded)))
          readable.push(source);
      }
    }
  };
  await copyInto(top, project);
  return readable;
}

/** False where it has too many files. */
async function copyUnlessLarge(
  from: string,
  to: string,
  excluded: ReadonlySet<string>,
): Promise<boolean> {
  let files = 0;
  const filter = (_: string, target: string) => {
    files += 1;
    return files <= FILES && !excluded.has(target);
  };
  await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE, filter });
  if (files > FILES) await rm(to, { recursive: true });
  return files <= FILES;
}

/** What the links of a room's folder lead to, after these were replaced by places to mount it: the folder itself can be written to. */
async function mountsFor(folder: string, room: Checkout): Promise<string[]> {
  const { project, top } = room;
  const mounts: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const place = join(project, relative(top, path));
    if (entry.isDirectory()) mounts.push(...(await mountsFor(path, room)));
    if (!entry.isSymbolicLink()) continue;
    const target = resolve(dirname(path), await readlink(path));
    if (target !== place) continue;
    await rm(path);
    if (statSync(target, { throwIfNoEntry: false })?.isDirectory()) await mkdir(path);
    else await writeFile(path, "");
    mounts.push(place);
  }
  return mounts;
}

type Room = NonNullable<VerifyOptions["room"]>;
type Env = Readonly<Record<string, string>>;

/**
 * What toolchains keep in a home folder and cannot do without: the operator's own place is named to them. Settings and
 * start-up files of the home folder are not among it. Behind a place, the files and folders in it that change what the
 * tools do: settings, start-up scripts, installed versions.
 */
const TOOLCHAINS: Readonly<Record<string, [place: string, ...settings: string[]]>> = {
  RUSTUP_HOME: [".rustup", "settings.toml"],
  CARGO_HOME: [
    ".cargo",
    "config.toml",
    "config",
    "registry/src",
    "registry/cache",
    "git/checkouts",
  ],
  GOMODCACHE: ["go/pkg/mod", "."],
  GOCACHE: [".cache/go-build"],
  PYENV_ROOT: [".pyenv"],
  PYTHONUSERBASE: [".local"],
  RBENV_ROOT: [".rbenv"],
  GRADLE_USER_HOME: [".gradle", "gradle.properties", "init.d", "init.gradle"],
  NUGET_PACKAGES: [".nuget/packages"],
  COMPOSER_HOME: [".config/composer", "config.json", "vendor"],
  MIX_HOME: [".mix", "."],
  HEX_HOME: [".hex"],
  npm_config_cache: [".npm"],
  COREPACK_HOME: [".cache/node/corepack"],
};

/** Where the settings are that are there. */
export function toolchainSettings(env: Env): string[] {
  const operator = env.HOME ?? homedir();
  return Object.entries(TOOLCHAINS)
    .flatMap(([name, [place, ...settings]]) =>
      settings.map((path) => join(env[name] ?? join(operator, place), path)),
    )
    .filter(existsSync);
}

/** The environment of a clean room: an empty home and temporary folder beside its top, and the operator's toolchains. */
export function roomEnvironment(env: Env, top: string): Record<string, string> {
  const beside = dirname(top);
  const [home, tmp] = [join(beside, "home"), join(beside, "tmp")];
  for (const folder of [home, tmp]) mkdirSync(folder, { recursive: true });
  const operator = env.HOME ?? homedir();
  const found = Object.entries(TOOLCHAINS)
    .map(([name, [path]]) => [name, join(operator, path)] as const)
    .filter(([name, place]) => env[name] === undefined && existsSync(place));
  const kept = Object.entries(env).filter(
    ([name]) => !/^(XDG_|npm_config_userconfig$)/i.test(name),
  );
  const maven = join(operator, ".m2/repository");
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(found),
    ...(existsSync(maven)
      ? { MAVEN_OPTS: `${env.MAVEN_OPTS ?? ""} -Dmaven.repo.local=${maven}`.trim() }
      : {}),
    HOME: home,
    ...{ TMPDIR: tmp, TMP: tmp, TEMP: tmp },
  };
}

/**
 * The words in front of a command that hide the project from it, but for the folders into which links of the room lead,
 * and those only to read. `hidden` are more folders that are not shown. Null where bubblewrap is not installed or may not be used.
 */
export function sandboxCommand(
  room: Room,
  { hidden, ownNetwork = false }: Pick<RunSettings, "hidden" | "ownNetwork">,
): string[] | null {
  const { project, linked } = room;
  const bubblewrap = project === "" ? null : bubblewrapBeside(project);
  if (bubblewrap === null) return null;
  const shown = linked.flatMap((folder) => ["--ro-bind", folder, folder]);
  const empty = [project, ...hidden.filter((folder) => existsSync(folder))];
  const covers = empty.flatMap((folder) => ["--tmpfs", folder]);
  const network = ownNetwork ? isolatedNetwork(bubblewrap) : [];
  const start = [...onOtherMachine(bubblewrap, room), ...network];
  return [...start, ...covers, ...shown, "--die-with-parent", "--"];
}

/** Whether rooms of this project can have a network of their own, wherever they are shown. */
export function canIsolate(project: string): boolean {
  const bubblewrap = QUOTABLE.test(project) ? bubblewrapBeside(project) : null;
  return bubblewrap !== null && isolatedNetwork(bubblewrap).length > 0;
}

/** Whether rooms of this project can be shown another machine than there is. */
export const canHide = (project: string): boolean => bubblewrapBeside(project) !== null;

/** Exits with 0 where bubblewrap works. */
export const BUBBLEWRAP = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/mnt", "true"] as const;

/**
 * The file of bubblewrap, null where it does not work: it may be there and be refused by the system. Tests find programs of
 * their project first, and one that lies there would judge itself.
 */
function bubblewrapBeside(project: string): string | null {
  const [name, ...args] = BUBBLEWRAP;
  const isLinux = process.platform === "linux";
  const file = isLinux ? ownProgram(name, process.env.PATH ?? "", [project]) : null;
  return file !== null && worksHere([file, ...args]) ? file : null;
}

const tried = new Map<string, boolean>();

/** Whether this command exits with 0 on this machine; it is run once. */
export function worksHere([program, ...args]: readonly [string, ...string[]]): boolean {
  const command = [program, ...args].join(" ");
  const known = tried.get(command);
  if (known !== undefined) return known;
  const { status } = spawnSync(program, args, { stdio: "ignore", timeout: 10_000 });
  tried.set(command, status === 0);
  return status === 0;
}

/**
 * Writes over a file of a room so that what was compiled from it counts as out of date: Python's bytecode holds the size of its
 * source and the second of its last change, and either may be the same as before.
 */
export async function overwrite(path: string, text: string): Promise<void> {
  const before = await stat(path).catch(() => null);
  await writeFile(path, text);
  const later = before === null ? 0 : Math.floor(before.mtimeMs / 1000) + 1;
  if (Date.now() < later * 1000) await utimes(path, later, later);
}
