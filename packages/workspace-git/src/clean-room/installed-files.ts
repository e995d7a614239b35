import type { BigIntStats } from "node:fs";
import { LoopError } from "@ccw-loop/core";
import { fileDigest } from "../file-digest.ts";
import { type Manifest, manifestStore } from "../plain-files/manifest.ts";
import { type FoundFile, filesAt, filesBelow } from "../plain-files/scan.ts";
import { fileAt, type RawPath, rawOf, textOf } from "../raw-path.ts";
import { ruleFor } from "./installed-folders.ts";

const FOLDER = ".installed";
/** Contents beyond this are told apart by size and times alone. */
const READ_AT_MOST = 1024 * 1024 * 1024;
const IGNORED_PREFIX = "./";
const COMPILED = /(^|\/)__pycache__\//;

/** Null: every installed file is what it was. Else those (paths from the top) that are. */
export type Unchanged = ReadonlySet<RawPath> | null;

/** What is installed now, against an earlier list. */
interface Compared {
  same: Set<RawPath>;
  /** New, gone or different. */
  other: RawPath[];
}

/**
 * Keeps a list of every file of the installed folders, by its path from `top`: mode, size, time of its last change,
 * content. Those that lie beside begin with `./` there. It is kept under the project's own folder, and its name is its
 * digest.
 */
export async function keepInstalled(
  cwd: string,
  top: string,
  folders: readonly string[],
  beside: readonly RawPath[],
): Promise<string> {
  const manifest = new Map<RawPath, string>();
  let read = 0;
  const named = (prefix: string) => (file: FoundFile) => ({ ...file, name: prefix + file.path });
  const installed = (await filesOf(top, folders)).map(named(""));
  const others = (await filesAt(top, beside)).map(named(IGNORED_PREFIX));
  for (const { path, stats, name } of [...installed, ...others]) {
    read += Number(stats.size);
    const isLeftOut = read > READ_AT_MOST && !name.startsWith(IGNORED_PREFIX);
    manifest.set(name, `${stampOf(stats)} ${isLeftOut ? "-" : await digestOf(top, path, stats)}`);
  }
  return manifestStore(cwd, FOLDER).keep(manifest);
}

/**
 * The installed files that are as they were when `name` was kept: the same size, mode and time of change (which no
 * program can set back), or else the same content. Throws `invalid_input` when the list is gone.
 */
export async function unchangedFiles(
  cwd: string,
  top: string,
  folders: readonly string[],
  name: string,
): Promise<Unchanged> {
  const { same, other } = await compare(cwd, top, folders, name);
  return other.length === 0 ? null : same;
}

/** Those that are not, as people see their paths; without what Python compiles again from the file beside it. */
export async function changedInstalled(
  cwd: string,
  top: string,
  folders: readonly string[],
  name: string,
): Promise<string[]> {
  const { other } = await compare(cwd, top, folders, name);
  return other
    .map(textOf)
    .filter((path) => !COMPILED.test(path))
    .sort();
}

/**
 * Files beside those folders when `name` was kept that are still there, with the digests of what they held. Throws
 * `invalid_input` when the list is gone.
 */
export async function listedIgnoredFiles(
  cwd: string,
  top: string,
  name: string,
): Promise<Map<RawPath, string>> {
  const before = await listNamed(cwd, name);
  const names = [...before.keys()].filter((path) => path.startsWith(IGNORED_PREFIX));
  const now = await filesAt(
    top,
    names.map((path) => path.slice(IGNORED_PREFIX.length)),
  );
  const digestOfEntry = (path: RawPath) => before.get(IGNORED_PREFIX + path)?.split(" ")[1] ?? "";
  return new Map(now.map(({ path }) => [path, digestOfEntry(path)]));
}

async function listNamed(cwd: string, name: string): Promise<Manifest> {
  return manifestStore(cwd, FOLDER)
    .read(name)
    .catch((cause: unknown) => {
      const message = "The list of what was installed at the loop's start is missing.";
      throw new LoopError("invalid_input", message, { cause });
    });
}

async function compare(
  cwd: string,
  top: string,
  folders: readonly string[],
  name: string,
): Promise<Compared> {
  const before = await listNamed(cwd, name);
  const same = new Set<RawPath>();
  const now = await filesOf(top, folders);
  for (const file of now) {
    if (await isSame(top, file, before.get(file.path))) same.add(file.path);
  }
  const all = new Set([...before.keys(), ...now.map(({ path }) => path)]);
  const other = [...all].filter((path) => !same.has(path) && !path.startsWith(IGNORED_PREFIX));
  return { same, other };
}

/** By its stamp, else by its content. */
async function isSame(top: string, { path, stats }: FoundFile, entry = ""): Promise<boolean> {
  const [stamp = "", digest = ""] = entry.split(" ");
  if (stamp === "") return false;
  return (
    stamp === stampOf(stats) || (digest !== "-" && digest === (await digestOf(top, path, stats)))
  );
}

/** Files and links of the installed folders, in a fixed order, without what is not linked. */
function filesOf(top: string, folders: readonly string[]): Promise<FoundFile[]> {
  return filesBelow(top, folders.map(rawOf), ({ path }) => isCache(folders, textOf(path)));
}

/** What tools write while they run, and no copy of the project gets. */
function isCache(folders: readonly string[], path: string): boolean {
  const folder = folders.find((one) => path.startsWith(`${one}/`));
  return (
    folder !== undefined && ruleFor(folder)?.omitted.test(path.slice(folder.length + 1)) === true
  );
}

function stampOf({ mode, size, ctimeNs, ino }: BigIntStats): string {
  return [mode, size, ctimeNs, ino].join(":");
}

function digestOf(top: string, path: RawPath, stats: BigIntStats): Promise<string> {
  return fileDigest(fileAt(top, path), stats.isSymbolicLink()).catch(() => "-");
}
