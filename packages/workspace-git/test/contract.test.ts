import { describeWorkspace } from "@ccw-loop/testkit/contracts";
import { filesWorkspace, gitWorkspace, openWorkspace } from "../src/index.ts";
import { fill } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";

describeWorkspace("git", {
  open: async (cwd) => gitWorkspace(cwd),
  prepare: makeRepository,
  rewinds: true,
  worktrees: true,
});

describeWorkspace("git without a commit", {
  open: openWorkspace,
  async prepare(cwd) {
    await userGit(cwd, "init", "-q");
    await fill(cwd, { ".git/info/exclude": "node_modules\n" });
  },
  rewinds: true,
  worktrees: false,
});

describeWorkspace("files", {
  open: async (cwd) => filesWorkspace(cwd),
  rewinds: false,
  worktrees: false,
});
