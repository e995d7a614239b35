import { join } from "node:path";
import { isOwnPath } from "../folders.ts";
import { NOTHING, type PrivateIndex, withPrivateIndex } from "../git/index.ts";
import { blobName } from "../git/objects.ts";
import { commitOf, type ObjectStoreEnv, type Repository, zeroName } from "../git/repository.ts";
import { placeholderText, READ_LIMIT } from "../left-out.ts";
import { type RawPath, rawOf, textOf } from "../raw-path.ts";
import { settingFiles } from "./settings.ts";
import { type WorkTreeStatus, workTreeStatus } from "./status.ts";
import type { Measured, MeasuredRepository } from "./tree-memory.ts";

const ADD = ["update-index", "--add", "--remove", "--replace"];
const LISTED = ["-z", "--stdin"];

/** A copy of the user's index that was turned into the working tree. */
export interface MeasuredTree extends PrivateIndex {
  status: WorkTreeStatus;
  /** The name of the whole content. */
  tree: string;
  /** Whether it was stored whole, and just that is what a checkpoint keeps. */
  isRaw: boolean;
  measured: Measured;
}

/** `name`: files are named. `bytes`: and it is known which of them git would convert. */
export type MeasureDepth = "name" | "bytes";

/** The name of the whole content. */
export async function contentTree(opened: MeasuredRepository): Promise<string> {
  const known = await opened.memory.recall(opened.objects, opened.without ?? NOTHING);
  return known?.tree ?? withMeasuredTree(opened, "name", null, async ({ tree }) => tree);
}

/** With `into`, what a checkpoint keeps as git has it is stored there. */
export async function withMeasuredTree<T>(
  opened: MeasuredRepository,
  depth: MeasureDepth,
  into: ObjectStoreEnv,
  use: (found: MeasuredTree) => Promise<T>,
): Promise<T> {
  const { memory, objects, without = NOTHING } = opened;
  const known = await memory.recall(objects, without);
  if (known?.plain) {
    const { filters, status } = known.plain;
    const go = async (index: PrivateIndex) =>
      use({ ...index, status, measured: known, ...(await measure(index, status, into)) });
    return withPrivateIndex(opened, go, filters);
  }
  const began = await memory.begin(objects);
  return withPrivateIndex(opened, async (index) => {
    const status = await workTreeStatus(index, depth === "bytes");
    const found = await measure(index, status, into);
    const plain = isPlain(index, status) ? { filters: index.filters, status } : null;
    const measured: Measured = { tree: found.tree, plain, kept: null };
    const paths = watched(index, status);
    if (paths) await memory.remember(measured, { began, without, paths });
    return use({ ...index, status, measured, ...found });
  });
}

/** Whether a checkpoint has nothing to look at but this. */
function isPlain({ filters }: PrivateIndex, { listing, mayConvert }: WorkTreeStatus): boolean {
  return !mayConvert && !filters.partial && listing.assumed.length + listing.skipped.length === 0;
}

/** What a measure rests on, by absolute path; null where that cannot be told. */
function watched(
  { repository, filters }: PrivateIndex,
  { listing, lookedInto }: WorkTreeStatus,
): RawPath[] | null {
  if (lookedInto === null) return null;
  const { folders, ignoring } = lookedInto;
  const files = [...listing.tracked, ...listing.untracked].filter((path) => !isOwnPath(path));
  const top = rawOf(repository.top);
  const inTop = [...folders, ...ignoring, ...files].map((path) => `${top}/${path}`);
  return [...settingFiles(repository, filters), ...inTop];
}

async function measure(
  index: PrivateIndex,
  found: WorkTreeStatus,
  into: ObjectStoreEnv,
): Promise<Pick<MeasuredTree, "tree" | "isRaw">> {
  const { repository, run } = index;
  const { records, read } = await plan(repository, found);
  if (records.length > 0) await run(["update-index", "-z", "--index-info"], { input: records });
  const { leftOut, converted, seen } = found;
  const isConverted = (path: RawPath) =>
    seen.get(path)?.regular && (converted.filtered.has(path) || converted.rewritten.has(path));
  const isStored = (path: RawPath) => into && !leftOut.has(path) && !isConverted(path);
  const named = read.filter((path) => !isStored(path));
  const stored = read.filter(isStored);
  if (named.length > 0) {
    await run([...ADD, "--info-only", ...LISTED], { input: named });
  }
  if (stored.length > 0) await run([...ADD, ...LISTED], { input: stored, into });
  const isRaw = into !== null && leftOut.size === 0 && isPlain(index, found);
  // Git itself makes sure that every object is there, where all of them are to be stored.
  const write = isRaw ? run(["write-tree"], { into }) : run(["write-tree", "--missing-ok"]);
  return { tree: (await write).stdout.trim(), isRaw };
}

/** `update-index --index-info` records, and the paths whose files are read after that. */
async function plan(
  repository: Repository,
  { listing, deleted, seen, deletedDuringScan, converted }: WorkTreeStatus,
) {
  const zero = zeroName(repository);
  const dropped = [
    ...listing.tracked.filter(isOwnPath),
    ...deleted,
    ...deletedDuringScan,
    ...converted.filtered.keys(),
  ];
  const records: RawPath[] = dropped.map((path) => `0 ${zero}\t${path}`);
  const read: RawPath[] = [];
  for (const [path, file] of seen) {
    const large = file.size > READ_LIMIT && (!file.tracked || converted.filtered.has(path));
    if (file.readable && !large) read.push(path);
    else records.push(`${file.mode} ${blobName(repository, placeholderText(file))}\t${path}`);
  }
  for (const path of listing.nested.filter((nested) => !isOwnPath(nested))) {
    const head = await commitOf({ top: join(repository.top, textOf(path)) }, "HEAD");
    if (head) records.push(`160000 ${head}\t${path}`);
  }
  return { records, read };
}
