import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { isOwnPath } from "../folders.ts";
import type { PrivateIndex } from "../git/index.ts";
import type { Listing } from "../git/listing.ts";
import { fileAt, type RawPath, records } from "../raw-path.ts";

/** The folders in which git looks for files, from the top, and the files there that tell it which ones to look at, and how. */
export interface LookedInto {
  folders: RawPath[];
  /** `.gitignore` files. */
  ignoring: RawPath[];
  /** Whether files have attributes: whether there is a `.gitattributes`. */
  attributes: boolean;
}

/** More folders are not looked through. */
const MOST = 20_000;

/**
 * Null where another repository lies inside, whose commit is part of the content, or where there are very many folders.
 * Folders that are ignored as a whole are left out; which ones, git is asked once for each level of them.
 */
export async function foldersLookedInto(
  { repository: { top }, run }: PrivateIndex,
  { tracked, untracked, nested }: Listing,
): Promise<LookedInto | null> {
  if (nested.length > 0) return null;
  const listed = new Set<RawPath>([...tracked, ...untracked]);
  const found: LookedInto = {
    folders: [],
    ignoring: [],
    attributes: tracked.some((path) => posix.basename(path) === ".gitattributes"),
  };
  const known = foldersAround(listed);
  for (let level = [...known]; level.length > 0; ) {
    if (found.folders.length + level.length > MOST) return null;
    const below = level.flatMap((folder) => lookInto(top, folder, found));
    const unlisted = below.filter((folder) => !known.has(folder));
    // A submodule.
    if (unlisted.some((folder) => listed.has(folder))) return null;
    level = await withoutIgnored(run, unlisted);
  }
  return found;
}

/** The folders above these files, the top among them. */
function foldersAround(paths: Iterable<RawPath>): Set<RawPath> {
  const folders = new Set<RawPath>([""]);
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** Notes a folder and its rules; the folders in it. */
function lookInto(top: string, folder: RawPath, found: LookedInto): RawPath[] {
  found.folders.push(folder);
  const at = (name: string) => (folder === "" ? name : `${folder}/${name}`);
  return entriesOf(top, folder).flatMap((entry) => {
    const name = entry.name.toString("latin1");
    if (name === ".gitignore") found.ignoring.push(at(name));
    if (name === ".gitattributes") found.attributes = true;
    const isLooked = entry.isDirectory() && name !== ".git" && !isOwnPath(name);
    return isLooked ? [at(name)] : [];
  });
}

function entriesOf(top: string, folder: RawPath): Dirent<Buffer>[] {
  const place = fileAt(top, folder);
  try {
    // Git does not look behind a link.
    if (!lstatSync(place).isDirectory()) return [];
    return readdirSync(place, { withFileTypes: true, encoding: "buffer" });
  } catch {
    // Gone by now, or not to be read: git finds nothing there either.
    return [];
  }
}

async function withoutIgnored(run: PrivateIndex["run"], folders: RawPath[]): Promise<RawPath[]> {
  if (folders.length === 0) return [];
  const args = ["check-ignore", "-z", "--stdin"];
  const { stdout } = await run(args, { input: folders, answers: [1] });
  const ignored = new Set(records(stdout));
  return folders.filter((folder) => !ignored.has(folder));
}
