import { lstat, readdir, rmdir } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";
import { fileAt, type RawPath, textOf } from "../../raw-path.ts";
import { unsafePath, unwritable } from "../refusals.ts";
import type { Difference } from "./differences.ts";

const NOTHING: ReadonlySet<RawPath> = new Set();

/** Whether a path can be written without removing something else. */
export async function canWrite(top: string, { path }: Difference): Promise<boolean> {
  return (await obstacleTo(top, path, NOTHING)) === null;
}

/**
 * Throws before anything is done: `unsafe_path` for a folder that became a link which nobody keeps (an ignored
 * one), `invalid_input` for files that nobody keeps where something is to be written.
 */
export async function requireNoObstacle(top: string, wanted: readonly Difference[]): Promise<void> {
  const removed = new Set(wanted.filter(({ kind }) => kind === "deleted").map(({ path }) => path));
  for (const { path, kind, mode } of wanted) {
    if (kind === "deleted" || mode === "160000") continue;
    const found = await obstacleTo(top, path, removed);
    if (found === null) continue;
    if (found.link) throw unsafePath(top, found.path);
    throw new LoopError(
      "invalid_input",
      `${textOf(found.path)} in ${top} is in no checkpoint, and lies where ${textOf(path)} is to be restored. Move it away and try again.`,
    );
  }
}

interface Obstacle {
  path: RawPath;
  link: boolean;
}

/** What would be lost, or written through, if the file were written. */
async function obstacleTo(
  top: string,
  path: RawPath,
  removed: ReadonlySet<RawPath>,
): Promise<Obstacle | null> {
  for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
    const folder = path.slice(0, slash);
    const found = await lstat(fileAt(top, folder)).catch(() => null);
    if (found === null || removed.has(folder)) return null;
    if (!found.isDirectory()) return { path: folder, link: found.isSymbolicLink() };
  }
  const found = await lstat(fileAt(top, path)).catch(() => null);
  return found?.isDirectory() ? firstBelow(top, path, removed) : null;
}

async function firstBelow(
  top: string,
  folder: RawPath,
  removed: ReadonlySet<RawPath>,
): Promise<Obstacle | null> {
  for (const entry of await readdir(fileAt(top, folder), {
    encoding: "buffer",
    withFileTypes: true,
  })) {
    const path = `${folder}/${entry.name.toString("latin1")}`;
    if (removed.has(path)) continue;
    if (!entry.isDirectory()) return { path, link: false };
    const found = await firstBelow(top, path, removed);
    if (found) return found;
  }
  return null;
}

/** Removes empty folders where files are to be written. */
export async function removeEmptyFolders(
  top: string,
  wanted: readonly Difference[],
): Promise<void> {
  for (const { path, mode } of wanted) {
    if (mode === "160000") continue;
    const found = await lstat(fileAt(top, path)).catch(() => null);
    if (found?.isDirectory()) await removeEmpty(fileAt(top, path));
  }
}

async function removeEmpty(folder: Buffer): Promise<void> {
  for (const name of await readdir(folder, { encoding: "buffer" })) {
    await removeEmpty(Buffer.concat([folder, Buffer.from("/"), name]));
  }
  await rmdir(folder).catch((error: unknown) => {
    throw unwritable(error, folder);
  });
}
