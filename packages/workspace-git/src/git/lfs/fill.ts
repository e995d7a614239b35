import { entriesOf } from "../keep/kept.ts";
import { writeFiles } from "../keep/write-files.ts";
import type { Opened } from "../opened.ts";
import { onPrivateIndex } from "../private-index.ts";
import { survey } from "../survey.ts";

/** Puts the content that git-lfs has in place of its pointers, in the fresh worktree of a commit. */
export async function fillFromLfs(opened: Opened, commit: string): Promise<void> {
  const { repository } = opened;
  const { pointers } = await onPrivateIndex(opened, (index) => survey(index, true));
  if (pointers.size === 0) return;
  const lfs = new Set(pointers.keys());
  const entries = await entriesOf(repository, commit, lfs);
  await writeFiles(
    repository,
    repository.top,
    entries.filter((entry) => entry.lfs),
  );
}
