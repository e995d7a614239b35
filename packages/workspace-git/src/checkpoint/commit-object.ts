import { LoopError } from "@ccw-loop/core";
import { OBJECT_NAME, type Repository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { bytesOf, type RawPath } from "../raw-path.ts";
import { decodeNote, type Note } from "./note.ts";

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

/** What a commit's own text says. */
export interface Commit {
  tree: string;
  /** What a checkpoint says about itself; null for any other commit. */
  note: Note | null;
}

/** Null where there is no commit of that name. */
export async function commitAt(
  { reader }: Pick<Repository, "reader">,
  name: string,
): Promise<Commit | null> {
  const content = OBJECT_NAME.test(name) ? await reader.find(name, "commit") : null;
  const text = content?.toString("latin1") ?? "";
  const [, tree] = /^tree (\S+)/.exec(text) ?? [];
  return tree === undefined ? null : { tree, note: decodeNote(text) };
}

/** Throws `workspace_unavailable` where there is no such commit. */
export async function requireTreeOf(repository: Repository, commit: string): Promise<string> {
  const found = await commitAt(repository, commit);
  if (found !== null) return found.tree;
  const { top } = repository;
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
