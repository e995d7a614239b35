import { type FileChange, LoopError } from "@ccw-loop/core";
import { isOwnPath } from "../folders.ts";
import { records } from "../raw-path.ts";
import { isGitRefusal } from "./errors.ts";
import { objectFolders, withPrivateIndex } from "./index.ts";
import { parseRawDiff, type RawDifference } from "./listing.ts";
import { OBJECT_NAME, type OpenRepository, shownPath, zeroName } from "./repository.ts";
import { git } from "./run.ts";

/** Between two trees that were measured. Throws `invalid_input` for a name that is none of theirs. */
export async function changes(
  opened: OpenRepository,
  from: string,
  to: string,
): Promise<FileChange[]> {
  const found = await withTrees([from, to], () => rawDiff(opened, from, to));
  return found.map(({ path, kind }) => ({ path: shownPath(opened.repository, path), kind }));
}

/** What differs between two trees or commits, with the paths from the top. */
export async function rawDiff(
  { repository, objects }: Pick<OpenRepository, "repository" | "objects">,
  from: string,
  to: string,
): Promise<RawDifference[]> {
  const { stdout } = await git(["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to], {
    cwd: repository.top,
    env: objectFolders(repository, objects),
  });
  return parseRawDiff(stdout);
}

/** `onto` with what differs between two trees done to it. Throws `invalid_input` as `changes`. */
export async function withChanges(
  opened: OpenRepository,
  onto: string,
  from: string,
  to: string,
): Promise<string> {
  const zero = zeroName(opened.repository);
  return withTrees([onto, from, to], async () => {
    const input = (await rawDiff(opened, from, to)).map(
      ({ path, kind, after: { mode, name } }) =>
        `${kind === "deleted" ? `0 ${zero}` : `${mode} ${name}`}\t${path}`,
    );
    return withPrivateIndex(opened, async ({ run }) => {
      await run(["read-tree", onto]);
      if (input.length > 0) {
        await run(["update-index", "--replace", "-z", "--index-info"], { input });
      }
      return (await run(["write-tree", "--missing-ok"])).stdout.trim();
    });
  });
}

async function withTrees<T>(names: readonly string[], use: () => Promise<T>): Promise<T> {
  for (const name of names) {
    if (!OBJECT_NAME.test(name)) throw unknownTree(name.slice(0, 80));
  }
  try {
    return await use();
  } catch (error) {
    if (isGitRefusal(error)) throw unknownTree(names.join(" or "));
    throw error;
  }
}

function unknownTree(name: string): LoopError {
  return new LoopError("invalid_input", `Unknown tree ${name}. Take a new snapshot.`);
}

/** So far back commits are looked at. */
const LOOKED_AT = 200;

/**
 * The newest commit behind HEAD whose content is a tree that was measured: its own tree, or that without our folder, which
 * is no part of what is measured. Null for none.
 */
export async function commitWithTree(
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
    const entries = records(listed);
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
  return records(stdout)
    .filter((path) => !path.endsWith("/") && !isOwnPath(path))
    .map((path) => shownPath(repository, path));
}
