import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeWorkspace } from "@ccw-loop/testkit/contracts";
import { filesWorkspace, gitWorkspace, openWorkspace } from "../src/index.ts";
import { makeRepository, userGit } from "./repository.ts";

describeWorkspace("git", { open: async (cwd) => gitWorkspace(cwd), prepare: makeRepository });

describeWorkspace("git without a commit", {
  open: openWorkspace,
  async prepare(cwd) {
    await userGit(cwd, "init", "-q");
    await writeFile(join(cwd, ".git/info/exclude"), "node_modules\n");
  },
});

describeWorkspace("files", { open: async (cwd) => filesWorkspace(cwd) });
