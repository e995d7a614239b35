import { randomUUID } from "node:crypto";
import type { Diff } from "@ccw-loop/core";
import { ownGit } from "../git/own-git.ts";
import { objectFolders, shownPath } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { TextAnswer } from "../git/session.ts";
import { type TreeDifference, treeDifferences } from "../git/trees.ts";
import type { OpenRepository } from "../measure/open-repository.ts";
import { type RawPath, records, textOf } from "../raw-path.ts";
import { requireCommit } from "./entries.ts";

/** A longer patch is cut. */
const MOST = 20 * 1024 * 1024;
const COMPARE = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
const PATCH = ["-p", "-U3", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"];
const CONFIG = { "core.quotePath": "false", "core.bigFileThreshold": "16m" };

/** `counts` leaves the patch out. */
export async function diffCheckpoints(
  { repository, objects, sessions }: OpenRepository,
  from: string,
  to: string,
  { counts = false, most = MOST }: { counts?: boolean; most?: number } = {},
): Promise<Diff> {
  const { top: cwd, hash, prefix } = repository;
  const commits = await Promise.all([from, to].map((commit) => requireCommit(repository, commit)));
  const [before = "", after = ""] = commits.map(({ tree }) => tree);
  const found = await treeDifferences(repository, before, after);
  const base = prefix === "" ? {} : { prefix };
  if (found.length === 0) return { ...base, files: [], patch: "" };
  const env = { ...(await ownGit(cwd, hash)), ...objectFolders(repository, objects) };
  const options = { env, config: CONFIG };
  const header = `${before} ${after}\n`;
  // A line that names no trees is answered with itself.
  const end = `${randomUUID()}\n`;
  const counted = new TextAnswer(end);
  const [, patched] = await Promise.all([
    sessions.ask([...COMPARE, "--stdin", "--numstat", "-z"], options, `${header}${end}`, counted),
    counts
      ? { stdout: "", cut: false }
      : git([...COMPARE, ...PATCH, before, after], { ...options, cwd, most }),
    requireContents(repository, found),
  ]);
  const lines = parseCounts(counted.text.slice(header.length));
  const patch = textOf(patched.stdout);
  return {
    ...base,
    files: found.map(({ path, kind }) => ({
      path: shownPath(repository, path),
      kind,
      ...(lines.get(path) ?? { added: null, removed: null }),
    })),
    patch: patched.cut ? `${patch.slice(0, patch.lastIndexOf("\n") + 1)}${cutAfter(most)}` : patch,
  };
}

/** Git shows what lies under a name. Throws `workspace_unavailable` where that is not what the name says. */
async function requireContents(
  { reader }: OpenRepository["repository"],
  found: readonly TreeDifference[],
): Promise<void> {
  for (const { mode, name } of found.flatMap(({ before, after }) => [before, after])) {
    if (mode === "000000" || mode === "160000") continue;
    await reader.findInto(name, "blob", async () => undefined);
  }
}

function cutAfter(bytes: number): string {
  const size = bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`;
  return `… cut here: the patch is larger than ${size}. Compare single files to see the rest.\n`;
}

/** Parses `git diff-tree -z --numstat`: lines by path; null for a binary file. */
function parseCounts(stdout: string) {
  const found = new Map<RawPath, { added: number | null; removed: number | null }>();
  for (const record of records(stdout)) {
    const [added = "-", removed = "-", ...path] = record.split("\t");
    const isText = added !== "-";
    found.set(path.join("\t"), {
      added: isText ? Number(added) : null,
      removed: isText ? Number(removed) : null,
    });
  }
  return found;
}
