import { isOwnPath } from "../../own-folder.ts";
import type { RawPath } from "../../raw-path.ts";
import { fileAt } from "../../raw-path.ts";
import { lfsPointerText } from "../lfs/kept-by-lfs.ts";
import { LFS } from "../lfs/pointer.ts";
import { textBlobs } from "../objects.ts";
import type { PrivateIndex } from "../private-index.ts";
import type { ObjectStoreEnv } from "../repository.ts";
import { zeroName } from "../repository.ts";
import { workTreeStatus } from "../survey.ts";

export interface CommitTree {
  name: string;
  /** Untracked files that it does not have. */
  leftOut: Map<RawPath, string>;
  /** Changed files that only a program of the user's could put into it (path and driver). */
  foreign: Map<RawPath, string>;
}

/** The tree that `git add --all` would give, without what no checkpoint keeps and without running programs. */
export async function commitTree(index: PrivateIndex, into: ObjectStoreEnv): Promise<CommitTree> {
  const { repository, run } = index;
  const found = await workTreeStatus(index, true);
  const { filtered } = found.converted;
  const zero = zeroName(repository);
  const records: RawPath[] = [...found.gone, ...found.vanished]
    .filter((path) => !isOwnPath(path))
    .map((path) => `0 ${zero}\t${path}`);
  const read: RawPath[] = [];
  const foreign = new Map<RawPath, string>();
  for (const [path, file] of found.seen) {
    if (found.leftOut.has(path) || !file.differs) continue;
    const driver = file.regular ? filtered.get(path) : undefined;
    if (driver === undefined) read.push(path);
    else if (driver === LFS) {
      const text = await lfsPointerText(
        repository,
        fileAt(repository.top, path),
        file,
        into !== null,
      );
      const [name] = await textBlobs(repository, [text], into);
      records.push(`${file.mode} ${name}\t${path}`);
    } else foreign.set(path, driver);
  }
  const update = ["update-index", "--add", "--remove", "--replace"];
  if (records.length > 0) await run(["update-index", "-z", "--index-info"], { input: records });
  const how = into ? update : [...update, "--info-only"];
  if (read.length > 0) await run([...how, "-z", "--stdin"], { input: read, into });
  const { stdout } = await run(["write-tree", ...(into ? [] : ["--missing-ok"])], { into });
  return { name: stdout.trim(), leftOut: found.leftOut, foreign };
}
