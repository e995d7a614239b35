import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fill, place } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";

/** A repository in the middle of everything: staged, half staged, deleted, conflicting, stashed, untracked. */
export async function busyRepository(): Promise<string> {
  const cwd = await place();
  await makeRepository(cwd);
  await fill(cwd, {
    "a.txt": "a",
    "b.txt": "b",
    "c.txt": "c",
    "src/d.txt": "d",
    "both.txt": "base",
  });
  await userGit(cwd, "add", "-A");
  await userGit(cwd, "commit", "-q", "-m", "second");
  await fill(cwd, { "a.txt": "stashed" });
  await userGit(cwd, "stash");
  await userGit(cwd, "switch", "-q", "-c", "side");
  await fill(cwd, { "both.txt": "side" });
  await userGit(cwd, "commit", "-q", "-a", "-m", "side");
  await userGit(cwd, "switch", "-q", "main");
  await fill(cwd, { "both.txt": "main" });
  await userGit(cwd, "commit", "-q", "-a", "-m", "main");
  await userGit(cwd, "merge", "side").catch(() => "a conflict, as intended");
  await fill(cwd, { "a.txt": "staged", "new/staged.txt": "staged" });
  await userGit(cwd, "add", "a.txt", "new/staged.txt");
  await fill(cwd, { "a.txt": "and edited", "untracked.txt": "u", "node_modules/x.js": "x" });
  await rm(join(cwd, "c.txt"));
  await fill(cwd, { "intended.txt": "i" });
  await userGit(cwd, "add", "--intent-to-add", "intended.txt");
  return cwd;
}
