import { LoopError } from "@ccw-loop/core";
import type { ObjectReader } from "../git/object-reader.ts";
import type { Repository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { bytesOf, type RawPath } from "../raw-path.ts";

const OUR_NAME = "CCW Loop";
const OUR_EMAIL = "ccw-loop@localhost";

/** Who makes commits where the user has no name. */
export const OURSELVES: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: OUR_NAME,
  GIT_AUTHOR_EMAIL: OUR_EMAIL,
  GIT_COMMITTER_NAME: OUR_NAME,
  GIT_COMMITTER_EMAIL: OUR_EMAIL,
};

/** The content of a commit object of ours, made now. */
export function commitText(tree: string, parents: readonly string[], message: RawPath): Buffer {
  const who = `${OUR_NAME} <${OUR_EMAIL}> ${Math.floor(Date.now() / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
  ];
  return bytesOf(`${lines.join("\n")}\n\n${message}\n`);
}

/** The tree that a commit's own text names. */
export function treeNamedBy(commit: string): string | null {
  return /^tree (\S+)/.exec(commit)?.[1] ?? null;
}

/** The tree of a commit; null where there is no such commit. */
export async function treeOfCommit(reader: ObjectReader, commit: string): Promise<string | null> {
  const content = await reader.find(commit, "commit");
  return content && treeNamedBy(content.toString("latin1"));
}

/** As `treeOfCommit`. Throws `workspace_unavailable` where there is no such commit. */
export async function requireTreeOf({ reader, top }: Repository, commit: string): Promise<string> {
  const tree = await treeOfCommit(reader, commit);
  if (tree !== null) return tree;
  throw new LoopError(
    "workspace_unavailable",
    `The repository at ${top} has lost the commit ${commit}. Check it with: git -C ${top} fsck`,
  );
}

/** Writes a commit of the user's, its message as bytes; its name. */
export async function writeCommit(
  { top }: Repository,
  tree: string,
  parents: readonly string[],
  message: RawPath,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout } = await git(["commit-tree", tree, ...parents.flatMap((name) => ["-p", name])], {
    cwd: top,
    config: { "i18n.commitEncoding": "UTF-8" },
    env,
    input: [message],
    ended: "\n",
  });
  return stdout.trim();
}
