import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { isOwnPath } from "../folders.ts";
import type { PrivateIndex } from "../git/index.ts";
import { type Listing, parseListing, parseRawDiff } from "../git/listing.ts";
import { shownPath } from "../git/repository.ts";
import { skipReason } from "../left-out.ts";
import { fileAt, modeOf, type RawPath } from "../raw-path.ts";
import { type Converted, convertedPaths } from "./filters.ts";
import { indexPointers, type Pointer } from "./lfs.ts";

const LIST = ["ls-files", "-z", "-v", "--cached", "--others", "--exclude-standard"];
const COMPARE = ["diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=dirty"];

/** What lies in the folder, compared with the index. */
export interface WorkTreeStatus {
  listing: Listing;
  /** Tracked files that are not there. */
  deleted: RawPath[];
  /** Files, links and submodules that are there and that git has to look at, none of them ours. */
  seen: Map<RawPath, FileStatus>;
  /** Tracked files that git was to look at, but that went away meanwhile. */
  deletedDuringScan: RawPath[];
  /** Files that no checkpoint keeps, with the reason. */
  leftOut: Map<RawPath, string>;
  converted: Converted;
  /** Entries of a sparse checkout without a file. */
  sparse: Set<RawPath>;
  /** What the index has for files that git-lfs keeps. */
  pointers: Map<RawPath, Pointer>;
}

export interface FileStatus {
  tracked: boolean;
  /** Not what the index says, as far as git can tell without reading it; true for what is not tracked. */
  differs: boolean;
  /** False for a link or a submodule. */
  regular: boolean;
  /** Of a regular file: `100644` or `100755`. */
  mode: string;
  /** 0 unless it is a regular file. */
  size: bigint;
  mtimeNs: bigint;
  readable: boolean;
}

/** `attributes`: whether git's own conversions matter, and not only programs. */
export async function workTreeStatus(
  index: PrivateIndex,
  attributes: boolean,
): Promise<WorkTreeStatus> {
  const { repository, filters, without, run } = index;
  const [listed, compared] = await Promise.all([run(LIST), run(COMPARE)]);
  const listing = parseListing(listed.stdout);
  if (without.size > 0) {
    const isWanted = (path: RawPath) => !without.has(shownPath(repository, path));
    listing.untracked = listing.untracked.filter(isWanted);
  }
  const sparse = await clearIndexFlags(index, listing);
  const again = listing.assumed.length > 0 || sparse.size < listing.skipped.length;
  // An unmerged path comes twice.
  const [deleted, differs] = [new Set<RawPath>(), new Set<RawPath>()];
  for (const { path, kind } of parseRawDiff((again ? await run(COMPARE) : compared).stdout)) {
    (kind === "deleted" ? deleted : differs).add(path);
  }
  const absent = new Set([...deleted, ...sparse]);
  const existing = [...listing.tracked, ...listing.untracked].filter(
    (path) => !absent.has(path) && !isOwnPath(path),
  );
  const asked = attributes || filters.drivers.size > 0;
  const converted = await convertedPaths(repository.top, filters, asked ? existing : []);

  const untracked = new Set(listing.untracked);
  const wanted = new Set([...differs, ...untracked, ...converted.filtered.keys()]);
  const looked = [...wanted]
    .filter((path) => !isOwnPath(path))
    .map(async (path) => ({ path, found: await statOf(repository.top, path) }));
  const seen = new Map<RawPath, FileStatus>();
  const leftOut = new Map<RawPath, string>();
  const deletedDuringScan: RawPath[] = [];
  for (const { path, found } of await Promise.all(looked)) {
    const tracked = !untracked.has(path);
    const reason = found && skipReason(path, { ...found, tracked });
    if (found) seen.set(path, { ...found, tracked, differs: !tracked || differs.has(path) });
    else deletedDuringScan.push(path);
    if (reason) leftOut.set(path, reason);
  }
  const pointers = attributes ? await indexPointers(index, converted) : new Map();
  return {
    listing,
    deleted: [...deleted],
    seen,
    deletedDuringScan,
    leftOut,
    converted,
    sparse,
    pointers,
  };
}

/** Makes git look at files that it was told to pass over, if they are there; answers with those that are not. */
async function clearIndexFlags(
  { repository: { top }, run }: PrivateIndex,
  { assumed, skipped }: Listing,
): Promise<Set<RawPath>> {
  const looked = await Promise.all(
    skipped.map(async (path) => ({ path, exists: (await lstatAt(top, path)) !== null })),
  );
  const marks: [string, RawPath[]][] = [
    ["--no-assume-unchanged", assumed],
    ["--no-skip-worktree", looked.filter((entry) => entry.exists).map(({ path }) => path)],
  ];
  for (const [option, input] of marks) {
    if (input.length > 0) await run(["update-index", option, "-z", "--stdin"], { input });
  }
  return new Set(looked.filter((entry) => !entry.exists).map(({ path }) => path));
}

/** Null for what is not there, or neither file, link nor folder. */
async function statOf(
  top: string,
  path: RawPath,
): Promise<Omit<FileStatus, "tracked" | "differs"> | null> {
  const found = await lstatAt(top, path);
  if (found === null) return null;
  const { mtimeNs } = found;
  if (found.isSymbolicLink() || found.isDirectory()) {
    return { regular: false, mode: "", size: 0n, mtimeNs, readable: true };
  }
  if (!found.isFile()) return null;
  const readable = await access(fileAt(top, path), constants.R_OK).then(
    () => true,
    () => false,
  );
  return { regular: true, mode: modeOf(found), size: found.size, mtimeNs, readable };
}

async function lstatAt(top: string, path: RawPath) {
  return lstat(fileAt(top, path), { bigint: true }).catch(() => null);
}
