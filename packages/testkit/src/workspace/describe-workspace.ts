import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { describeClaims } from "./claiming.ts";
import type { WithPlace, WorkspaceHarness } from "./harness.ts";
import { describeCheckpoints } from "./keeping.ts";
import { describeLacking } from "./lacking.ts";
import { describeCheckouts } from "./lending.ts";
import { describeTreeNames } from "./naming.ts";
import { describeLeftOutFiles } from "./outside.ts";
import { describeRewind } from "./rewinding.ts";
import { describeChanges } from "./seeing.ts";
import { describeWorktrees } from "./worktrees.ts";

/** Executable contract of core's `Workspace`. */
export function describeWorkspace(name: string, harness: WorkspaceHarness): void {
  const { open, prepare, rewinds, worktrees } = harness;
  const withPlace: WithPlace = async (use) => {
    const around = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-workspace-")));
    const cwd = join(around, "project");
    try {
      await mkdir(cwd);
      await prepare?.(cwd);
      const elsewhere = join(around, "elsewhere");
      await use({
        cwd,
        elsewhere,
        workspace: await open(cwd),
        reopened: () => open(cwd),
        openAt: open,
      });
    } finally {
      await rm(around, { recursive: true, force: true });
    }
  };
  describe(`Workspace contract: ${name}`, { timeout: 60_000 }, () => {
    describeTreeNames(withPlace);
    describeChanges(withPlace);
    describeClaims(withPlace);
    describeCheckpoints(withPlace);
    describeLeftOutFiles(withPlace, { rewinds });
    describeCheckouts(withPlace);
    if (rewinds) describeRewind(withPlace);
    if (worktrees) describeWorktrees(withPlace);
    describeLacking(withPlace, { rewinds, worktrees });
  });
}
