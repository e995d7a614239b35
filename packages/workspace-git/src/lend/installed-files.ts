import { createHash } from "node:crypto";
import { type BigIntStats, createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";
import { encode, type Manifest } from "../files/manifest.ts";
import { manifestStore } from "../files/manifest-store.ts";
import { bytesOf, type RawPath, rawOf } from "../raw-path.ts";

const FOLDER = ".installed";
const AT_ONCE = 64;
/** Contents beyond this are told apart by size and times alone. */
const READ_AT_MOST = 1024 * 1024 * 1024;

/** Null: every installed file is what it was. Else those (paths from the top) that are. */
export type Unchanged = ReadonlySet<RawPath> | null;

/** Every file of the installed folders, by its path from `top`: mode, size, time of its last change, content. */
export async function installedManifest(
  top: string,
  folders: readonly string[],
): Promise<Manifest> {
  const manifest = new Map<RawPath, string>();
  let read = 0;
  for (const { path, stats } of await filesBelow(top, folders)) {
    read += Number(stats.size);
    manifest.set(
      path,
      `${stampOf(stats)} ${read > READ_AT_MOST ? "-" : await digestOf(top, path, stats)}`,
    );
  }
  return manifest;
}

/** Keeps the list under the project's own folder; its name is its digest. */
export async function keepInstalled(cwd: string, manifest: Manifest): Promise<string> {
  return manifestStore(cwd, FOLDER).keep(encode(manifest));
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
  const before = await manifestStore(cwd, FOLDER)
    .read(name)
    .catch((cause: unknown) => {
      const message = "What was installed when the loop began is not known any more.";
      throw new LoopError("invalid_input", message, { cause });
    });
  const now = await filesBelow(top, folders);
  const same = new Set<RawPath>();
  for (const { path, stats } of now) {
    const [stamp = "", digest = ""] = splitEntry(before.get(path) ?? "");
    if (stamp === "") continue;
    if (stamp === stampOf(stats)) same.add(path);
    else if (digest !== "-" && digest === (await digestOf(top, path, stats))) same.add(path);
  }
  return same.size === now.length && same.size === before.size ? null : same;
}

/** Paths from the top whose file is new, gone or another one, between two lists. */
export async function changedInstalled(cwd: string, from: string, to: string): Promise<string[]> {
  const store = manifestStore(cwd, FOLDER);
  const [before, after] = await Promise.all([store.read(from), store.read(to)]);
  const differs = (path: RawPath) => {
    const [stamp, digest] = splitEntry(before.get(path) ?? "");
    const [stampNow, digestNow] = splitEntry(after.get(path) ?? "");
    return stamp !== stampNow && (digest !== digestNow || digest === "-");
  };
  return [...new Set([...before.keys(), ...after.keys()])].filter(differs);
}

interface Found {
  path: RawPath;
  stats: BigIntStats;
}

/** Files and links below the folders, in a fixed order; links are not followed. */
async function filesBelow(top: string, folders: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  let open: RawPath[] = folders.map(rawOf);
  while (open.length > 0) {
    const batch = open.slice(0, AT_ONCE);
    open = open.slice(AT_ONCE);
    const looked = await Promise.all(batch.map((path) => below(top, path)));
    for (const { path, stats } of looked.flat()) {
      if (stats.isDirectory()) open.push(path);
      else if (stats.isFile() || stats.isSymbolicLink()) found.push({ path, stats });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function below(top: string, folder: RawPath): Promise<Found[]> {
  const names = await readdir(at(top, folder), { encoding: "buffer" }).catch(() => []);
  const looked = names.map(async (name): Promise<Found | null> => {
    const path = `${folder}/${name.toString("latin1")}`;
    const stats = await lstat(at(top, path), { bigint: true }).catch(() => null);
    return stats && { path, stats };
  });
  return (await Promise.all(looked)).filter((one) => one !== null);
}

function stampOf({ mode, size, ctimeNs, ino }: BigIntStats): string {
  return [mode, size, ctimeNs, ino].join(":");
}

function splitEntry(entry: string): string[] {
  return entry.split(" ");
}

async function digestOf(top: string, path: RawPath, stats: BigIntStats): Promise<string> {
  const hash = createHash("sha256");
  try {
    if (stats.isSymbolicLink()) hash.update(await readlink(at(top, path), { encoding: "buffer" }));
    else for await (const chunk of createReadStream(at(top, path))) hash.update(chunk as Buffer);
  } catch {
    return "-";
  }
  return hash.digest("hex");
}

function at(top: string, path: RawPath): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), bytesOf(path)]);
}
