import { isOwnPath } from "../../own-folder.ts";
import type { OpenRepository } from "../opened.ts";
import { objectFolders } from "../private-index.ts";
import { git } from "../run-git.ts";

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
