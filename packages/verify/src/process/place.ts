import { spawnSync } from "node:child_process";
import { constants, existsSync, lstatSync, statSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Checkout } from "@ccw-loop/core";
import { canSandbox } from "./room.ts";

/** Paths that may stand in any text of a program without more ado. */
const QUOTABLE = /^[^'"\\\n]+$/;
/** Of what stands beside a project's files: shown as it is, and not as a copy. */
const READ_ALONE = new Set([".git", ".workflow"]);
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
  if (!QUOTABLE.test(project) || !canSandbox()) return { cwd, wrap: null, shown: (text) => text };
  const readable: string[] = [];
  const left = new Set(without.map((path) => join(cwd, path)));
  await fill(top, { from: project, readable, left, entries: 0 });
  for (const folder of linked) {
    const own = join(top, relative(project, folder));
    readable.push(...(basename(folder) === PACKAGES ? await mountsFor(own, room) : [folder]));
  }
  const shown = (text: string) => text.replaceAll(top, project);
  const wrap = [
    // What tests replaced by a stand-in is not replaced there, and must reach nobody.
    ...["bwrap", ...isolatedNetwork(), "--dev-bind", "/", "/", "--bind", top, project],
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...hidden.filter((folder) => existsSync(folder)).flatMap((folder) => ["--tmpfs", folder]),
  ];
  return {
    cwd: shown(cwd),
    wrap: (folder) => [...wrap, "--chdir", shown(folder), "--die-with-parent", "--"],
    shown,
  };
}

let canBeAlone: boolean | undefined;

/** Options for a network of its own, where the system allows that. */
function isolatedNetwork(): string[] {
  canBeAlone ??=
    spawnSync("bwrap", ["--unshare-net", "--dev-bind", "/", "/", "true"], {
      stdio: "ignore",
      timeout: 10_000,
    }).status === 0;
  return canBeAlone ? ["--unshare-net"] : [];
}

interface Filling {
  /** The folder of the project that this one stands for. */
  from: string;
  /** Paths of the project that are to be shown to read. */
  readable: string[];
  /** Paths of the room that stay missing. */
  left: ReadonlySet<string>;
  entries: number;
}

/**
 * Gives a folder of the room what it lacks of the project's (ignored files, empty folders, modes): as copies, for tests may
 * be built into them; large folders are shown to read.
 */
async function fill(folder: string, filling: Filling): Promise<void> {
  const { from, readable, left } = filling;
  for (const name of await readdir(from)) {
    filling.entries += 1;
    if (filling.entries > ENTRIES) return;
    const [source, target] = [join(from, name), join(folder, name)];
    const found = lstatSync(source, { throwIfNoEntry: false });
    const own = lstatSync(target, { throwIfNoEntry: false });
    if (left.has(target) || name === PACKAGES) continue;
    if (own && found?.isFile() && own.isFile() && own.mode !== found.mode) {
      await chmod(target, found.mode);
    } else if (own && found?.isDirectory() && own.isDirectory()) {
      const below = { ...filling, from: source };
      await fill(target, below);
      filling.entries = below.entries;
    } else if (!own && (found?.isFile() || found?.isDirectory())) {
      if (READ_ALONE.has(name) || !(await copyUnlessLarge(source, target, left)))
        readable.push(source);
    }
  }
}

/** False where it has too many files. */
async function copyUnlessLarge(
  from: string,
  to: string,
  left: ReadonlySet<string>,
): Promise<boolean> {
  let files = 0;
  const filter = (_: string, target: string) => {
    files += 1;
    return files <= FILES && !left.has(target);
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
