import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WithPlace } from "./harness.ts";

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
      await expect(workspace.adopt("loop", "two", 0)).rejects.toMatchObject(refused);
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
