import { type FileChange, LoopError } from "@ccw-loop/core";
import { isOwnPath } from "../folders.ts";
import { isGitRefusal } from "./errors.ts";
import { objectFolders, withPrivateIndex } from "./index.ts";
import { parseRawDiff } from "./listing.ts";
import { type OpenRepository, shownPath, zeroName } from "./repository.ts";
import { git } from "./run.ts";

const TREE_NAME = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Between two trees that were measured. Throws `invalid_input` for a name that is none of theirs. */
export async function changes(
  { repository, objects }: OpenRepository,
  from: string,
  to: string,
): Promise<FileChange[]> {
  const names = [from, to].map(requireTreeName);
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", ...names];
  const { exitCode, stdout } = await git(args, {
    cwd: repository.top,
    env: objectFolders(repository, objects),
    answers: [128],
  });
  if (exitCode !== 0) throw unknownTree(names.join(" or "));
  return parseRawDiff(stdout).map(({ path, kind }) => ({
    path: shownPath(repository, path),
    kind,
  }));
}

/** `onto` with what differs between two trees done to it. Throws `invalid_input` as `changes`. */
export async function withChanges(
  opened: OpenRepository,
  onto: string,
  from: string,
  to: string,
): Promise<string> {
  const names = [onto, from, to].map(requireTreeName);
  const zero = zeroName(opened.repository);
  try {
    return await withPrivateIndex(opened, async ({ run }) => {
      const { stdout } = await run(["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to]);
      const records = parseRawDiff(stdout).map(
        ({ path, kind, after: { mode, name } }) =>
          `${kind === "deleted" ? `0 ${zero}` : `${mode} ${name}`}\t${path}`,
      );
      await run(["read-tree", onto]);
      if (records.length > 0) {
        await run(["update-index", "--replace", "-z", "--index-info"], { input: records });
      }
      return (await run(["write-tree", "--missing-ok"])).stdout.trim();
    });
  } catch (error) {
    if (isGitRefusal(error)) throw unknownTree(names.join(" or "));
    throw error;
  }
}

function requireTreeName(name: string): string {
  if (!TREE_NAME.test(name)) throw unknownTree(name.slice(0, 80));
  return name;
}

function unknownTree(name: string): LoopError {
  return new LoopError("invalid_input", `This workspace knows no tree ${name}. Measure it again.`);
}

/** So far back commits are looked at. */
const LOOKED_AT = 200;

/**
 * The newest commit behind HEAD whose content is a tree that was measured: its own tree, or that without our folder, which
 * is no part of what is measured. Null for none.
 */
export async function commitOf(
  { repository, objects }: OpenRepository,
  tree: string,
): Promise<string | null> {
  const { top: cwd } = repository;
  const { stdout } = await git(
    ["log", `--max-count=${LOOKED_AT}`, "--format=%H %T", "HEAD", "--"],
    { cwd, answers: [128] },
  );
  for (const line of stdout.split("\n").filter((one) => one !== "")) {
    const [commit = "", own = ""] = line.split(" ");
    if (own === tree) return commit;
    const { stdout: listed } = await git(["ls-tree", "-z", own], { cwd });
    const entries = listed.split("\0").filter((one) => one !== "");
    const others = entries.filter((one) => !isOwnPath(one.slice(one.indexOf("\t") + 1)));
    if (others.length === entries.length) continue;
    const made = await git(["mktree", "-z", "--missing"], {
      cwd,
      env: objectFolders(repository, objects),
      input: others,
    });
    if (made.stdout.trim() === tree) return commit;
  }
  return null;
}

const OTHERS = ["ls-files", "-z", "--others", "--exclude-standard"];

/** Files that are part of the content although nobody added them; repositories inside are none. */
export async function untracked({ repository }: OpenRepository): Promise<string[]> {
  const { stdout } = await git(OTHERS, { cwd: repository.top });
  return stdout
    .split("\0")
    .filter((path) => path !== "" && !path.endsWith("/") && !isOwnPath(path))
    .map((path) => shownPath(repository, path));
}
