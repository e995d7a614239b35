import { treeEntries } from "../keep/kept.ts";
import { writeFiles } from "../keep/write-files.ts";
import type { OpenRepository } from "../opened.ts";
import { withPrivateIndex } from "../private-index.ts";
import { workTreeStatus } from "../survey.ts";

/** Puts the content that git-lfs has in place of its pointers, in the fresh worktree of a commit. */
export async function fillFromLfs(opened: OpenRepository, commit: string): Promise<void> {
  const { repository } = opened;
  const { pointers } = await withPrivateIndex(opened, (index) => workTreeStatus(index, true));
  if (pointers.size === 0) return;
  const lfs = new Set(pointers.keys());
  const entries = await treeEntries(repository, commit, lfs);
  await writeFiles(
    repository,
    repository.top,
    entries.filter((entry) => entry.lfs),
  );
}
