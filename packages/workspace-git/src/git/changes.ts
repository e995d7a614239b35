import { type FileChange, LoopError } from "@ccw-loop/core";
import { isGitRefusal } from "./failure.ts";
import type { OpenRepository } from "./opened.ts";
import { shownPath } from "./paths.ts";
import { objectFolders, withPrivateIndex } from "./private-index.ts";
import { zeroName } from "./repository.ts";
import { git } from "./run-git.ts";

const TREE_NAME = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

/** Between two trees that were measured. Throws `invalid_input` for a name that is none of theirs. */
export async function changes(
  { repository, objects }: OpenRepository,
  from: string,
  to: string,
): Promise<FileChange[]> {
  const names = [from, to].map(requireTreeName);
  const args = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", ...names];
  const { exitCode, stdout } = await git(args, {
    cwd: repository.top,
    env: objectFolders(repository, objects),
    answers: [128],
  });
  if (exitCode !== 0) throw unknownTree(names.join(" or "));
  const fields = stdout.split("\0");
  const found: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    found.push({
      path: shownPath(repository, fields[at + 1] ?? ""),
      kind: KINDS[fields[at] ?? ""] ?? "modified",
    });
  }
  return found;
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
      const fields = stdout.split("\0");
      const records: string[] = [];
      for (let at = 0; at + 1 < fields.length; at += 2) {
        const [, mode = "", , name = "", status = ""] = (fields[at] ?? "").split(" ");
        records.push(`${status === "D" ? `0 ${zero}` : `${mode} ${name}`}\t${fields[at + 1]}`);
      }
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
