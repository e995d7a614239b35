import type { StoredCheckpoint } from "@ccw-loop/core";
import type { OpenRepository } from "../opened.ts";
import { shownPath } from "../paths.ts";
import { withQuarantine } from "../quarantine.ts";
import type { ObjectStoreEnv, Repository } from "../repository.ts";
import { git } from "../run-git.ts";
import { withMeasuredTree } from "../snapshot.ts";
import { makeRef } from "./loop-refs.ts";
import { encodeNote } from "./note.ts";
import { rawTree } from "./raw-tree.ts";
import { checkpointRef } from "./refs.ts";

const OUR_NAME = "CCW Loop";
const OUR_EMAIL = "ccw-loop@localhost";

/** Who makes commits where the user has no name. */
export const OURSELVES: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: OUR_NAME,
  GIT_AUTHOR_EMAIL: OUR_EMAIL,
  GIT_COMMITTER_NAME: OUR_NAME,
  GIT_COMMITTER_EMAIL: OUR_EMAIL,
};

/** What is kept, and as what. */
interface CheckpointOptions {
  id: string;
  n: number;
  message: string;
  /** The checkpoint before; the first one of number `n - 1` by default. */
  after?: string | undefined;
}

/**
 * Keeps the files as a commit on top of HEAD and of the checkpoint before, behind a ref of its own:
 * `refs/ccw-loop/{id}/{n}`, or the next free variant of it.
 */
export async function checkpoint(
  opened: OpenRepository,
  { id, n, message, after }: CheckpointOptions,
): Promise<StoredCheckpoint> {
  const { repository, names } = opened;
  checkpointRef(id, n);
  const before = after ?? (n > 0 ? checkpointRef(id, n - 1) : undefined);
  const { commit, tree, leftOut } = await withQuarantine(repository, async (into) => {
    const [[head = null, earlier = null], kept] = await Promise.all([
      commitsOf(repository, ["HEAD", ...(before === undefined ? [] : [before])]),
      writeTrees(opened, into),
    ]);
    const note = { head, ...kept, leftOut: [...kept.leftOut.keys()] };
    const parents = [...new Set([head, earlier])].filter((name) => name !== null);
    const { stdout } = await git(
      ["commit-tree", kept.raw, ...parents.flatMap((name) => ["-p", name])],
      {
        cwd: repository.top,
        config: { "i18n.commitEncoding": "UTF-8" },
        env: { ...OURSELVES, ...into },
        input: [encodeNote(message, note)],
        ended: "\n",
      },
    );
    return { commit: stdout.trim(), ...kept };
  }).catch((error: unknown) => {
    names.forget();
    throw error;
  });
  await makeRef(repository, id, n, commit);
  const skipped = [...leftOut].map(([path, reason]) => ({
    path: shownPath(repository, path),
    reason,
  }));
  return { commit, tree, skipped };
}

async function writeTrees(opened: OpenRepository, into: ObjectStoreEnv) {
  return withMeasuredTree(opened, "bytes", into, async (found) => {
    const { name: raw, lfs } = await rawTree(found, opened.names, into).catch((error: unknown) => {
      opened.names.forget();
      throw error;
    });
    return { raw, lfs: [...lfs], tree: found.tree, leftOut: found.survey.leftOut };
  });
}

/** The commits behind refs, in their order; null for a ref that is not there. */
async function commitsOf({ top }: Repository, refs: string[]): Promise<(string | null)[]> {
  const { stdout } = await git(["cat-file", "--batch-check"], {
    cwd: top,
    input: refs.map((ref) => `${ref}^{commit}`),
    ended: "\n",
  });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => /^([0-9a-f]+) commit /.exec(line)?.[1] ?? null);
}
