import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeCheckpoints, describeLeftOutFiles } from "./checkpoints.ts";
import { describeClaims } from "./claims.ts";
import type { WithPlace, WorkspaceHarness } from "./harness.ts";
import { describeRewind } from "./rewind.ts";
import { describeChanges, describeTreeNames } from "./trees.ts";
import { describeCheckouts, describeWorktrees } from "./worktrees.ts";

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

/** What a workspace cannot do, it says beforehand and refuses. */
export function describeLacking(
  withPlace: WithPlace,
  { rewinds, worktrees }: { rewinds: boolean; worktrees: boolean },
): void {
  test("says in sentences with a next step what it lacks", () =>
    withPlace(async ({ workspace }) => {
      expect(workspace.lacks.length === 0).toBe(rewinds);
      for (const text of workspace.lacks) expect(text).toMatch(/^[A-Z].*\. [A-Z].*\.$/);
    }));

  const refused = {
    code: "invalid_input",
    message: expect.stringMatching(/^[A-Z].*\. [A-Z].*\.$/),
  };

  test.skipIf(rewinds)("refuses to compare, to go back and to hand on", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      await expect(workspace.diff(commit, commit)).rejects.toMatchObject(refused);
      await expect(workspace.restore(commit)).rejects.toMatchObject(refused);
      await expect(workspace.adopt("two", 0, commit)).rejects.toMatchObject(refused);
    }),
  );

  test.skipIf(worktrees)("refuses to make a worktree, and has none", () =>
    withPlace(async ({ workspace }) => {
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      await expect(workspace.addWorktree("one", null)).rejects.toMatchObject(refused);
      await expect(workspace.addWorktree("one", commit)).rejects.toMatchObject(refused);
      expect(await workspace.worktrees()).toEqual([]);
    }),
  );
}
