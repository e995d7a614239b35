import { join } from "node:path";
import { isOwnPath } from "../folders.ts";
import { type PrivateIndex, withPrivateIndex } from "../git/index.ts";
import { blobName } from "../git/objects.ts";
import {
  commitOf,
  type ObjectStoreEnv,
  type OpenRepository,
  type Repository,
  zeroName,
} from "../git/repository.ts";
import { placeholderText, READ_LIMIT } from "../left-out.ts";
import { type RawPath, textOf } from "../raw-path.ts";
import { type WorkTreeStatus, workTreeStatus } from "./status.ts";

const ADD = ["update-index", "--add", "--remove", "--replace"];
const LISTED = ["-z", "--stdin"];

/** A copy of the user's index that was turned into the working tree. */
export interface MeasuredTree extends PrivateIndex {
  status: WorkTreeStatus;
  /** The name of the whole content. */
  tree: string;
}

/** `name`: files are named. `bytes`: and it is known which of them git would convert. */
export type MeasureDepth = "name" | "bytes";

/** With `into`, what a checkpoint keeps as git has it is stored there. */
export function withMeasuredTree<T>(
  opened: Pick<OpenRepository, "repository" | "objects" | "without">,
  depth: MeasureDepth,
  into: ObjectStoreEnv,
  use: (found: MeasuredTree) => Promise<T>,
): Promise<T> {
  return withPrivateIndex(opened, async (index) => {
    const found = await workTreeStatus(index, depth === "bytes");
    return use({ ...index, status: found, tree: await measure(index, found, into) });
  });
}

async function measure(
  { repository, run }: PrivateIndex,
  found: WorkTreeStatus,
  into: ObjectStoreEnv,
) {
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
  return (await run(["write-tree", "--missing-ok"])).stdout.trim();
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
