import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { join } from "node:path";
import { isOurs } from "../own-folder.ts";
import { bytesOf, type RawPath, rawOf, textOf } from "../raw-path.ts";
import { READ_LIMIT, standInFor } from "../stand-in.ts";
import { type Filters, filteredPaths } from "./filters.ts";
import { type Listing, parseDifferences, parseListing } from "./listing.ts";
import type { Repository } from "./repository.ts";
import { type GitOptions, git } from "./run-git.ts";

const LIST = ["ls-files", "-z", "-v", "--cached", "--others", "--exclude-standard"];
const COMPARE = ["diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=dirty"];

/** What turns a copy of the user's index into the working tree. */
export interface Plan {
  /** `git update-index --index-info` records: removals, and entries that need no reading. */
  records: RawPath[];
  /** Paths whose files are read after that. */
  read: RawPath[];
}

/** Runs git on the copy of the index. */
export type Run = (
  args: readonly string[],
  more?: Partial<GitOptions>,
) => Promise<{ stdout: string }>;

export async function plan(repository: Repository, filters: Filters, run: Run): Promise<Plan> {
  const [listed, compared] = await Promise.all([run(LIST), run(COMPARE)]);
  const listing = parseListing(listed.stdout);
  const uncovered = await uncover(repository, listing, run);
  const { stdout } = uncovered ? await run(COMPARE) : compared;
  const { gone, differing } = parseDifferences(stdout);
  const filtered = await filteredPaths(repository.top, filters, [
    ...listing.tracked,
    ...listing.untracked,
  ]);
  const zero = "0".repeat(repository.hash === "sha1" ? 40 : 64);
  const removed = (path: RawPath) => `0 ${zero}\t${path}`;

  const unkept = new Set([...listing.untracked, ...filtered]);
  const wanted = [...new Set([...differing, ...unkept])].filter((path) => !isOurs(path));
  const looked = await Promise.all(
    wanted.map(async (path) => ({ path, seen: await look(repository, path, unkept.has(path)) })),
  );
  const records = [...listing.tracked.filter(isOurs), ...gone, ...filtered].map(removed);
  for (const { path, seen } of looked) {
    if (seen === "absent") records.push(removed(path));
    else if (seen !== "read")
      records.push(`${seen.mode} ${blobName(repository, seen.text)}\t${path}`);
  }
  for (const path of listing.nested.filter((nested) => !isOurs(nested))) {
    const head = await headOf(join(repository.top, textOf(path)));
    if (head) records.push(`160000 ${head}\t${path}`);
  }
  return { records, read: looked.filter(({ seen }) => seen === "read").map(({ path }) => path) };
}

/** Makes git look at files that it was told to pass over, if they are there; true when there was one. */
async function uncover({ top }: Repository, listing: Listing, run: Run): Promise<boolean> {
  const there = await Promise.all(
    listing.skipped.map(async (path) => ((await lstatAt(top, path)) === null ? [] : [path])),
  );
  const marks: [string, RawPath[]][] = [
    ["--no-assume-unchanged", listing.assumed],
    ["--no-skip-worktree", there.flat()],
  ];
  const set = marks.filter(([, paths]) => paths.length > 0);
  for (const [option, input] of set)
    await run(["update-index", option, "-z", "--stdin"], { input });
  return set.length > 0;
}

/** How a file gets into the tree: git reads it, a text stands in for it, or it is not there. */
async function look(
  { top }: Repository,
  path: RawPath,
  unkept: boolean,
): Promise<"read" | "absent" | { mode: string; text: string }> {
  const found = await lstatAt(top, path);
  if (found === null) return "absent";
  if (found.isSymbolicLink() || found.isDirectory()) return "read";
  if (!found.isFile()) return "absent";
  const readable = await access(at(top, path), constants.R_OK).then(
    () => true,
    () => false,
  );
  if (readable && !(unkept && found.size > READ_LIMIT)) return "read";
  const mode = (found.mode & 0o100n) === 0n ? "100644" : "100755";
  return { mode, text: standInFor(found) };
}

function blobName({ hash }: Repository, text: string): string {
  return createHash(hash)
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest("hex");
}

/** The commit that a nested repository stands at; null while it has none. */
async function headOf(folder: string): Promise<string | null> {
  const answer = await git(["rev-parse", "--verify", "--quiet", "HEAD"], {
    cwd: folder,
    answers: [1, 128],
  });
  return answer.exitCode === 0 ? answer.stdout.trim() : null;
}

async function lstatAt(top: string, path: RawPath) {
  return lstat(at(top, path), { bigint: true }).catch(() => null);
}

function at(top: string, path: RawPath): Buffer {
  return bytesOf(`${rawOf(top)}/${path}`);
}
