import { access, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WithPlace } from "./harness.ts";

const REFUSAL = { code: "invalid_input" };

/** A loop's own folder and branch. */
export function describeWorktrees(withPlace: WithPlace): void {
  test("adds, lists, commits and removes one", () =>
    withPlace(async ({ cwd, workspace }) => {
      const made = await workspace.addWorktree("one", null);
      expect(made).toEqual({
        path: join(`${cwd}.worktrees`, "one"),
        top: join(`${cwd}.worktrees`, "one"),
        branch: "ccw-loop/one",
      });
      expect(await workspace.worktrees()).toEqual([
        {
          ...made,
          id: "one",
          dirty: false,
          bytes: expect.any(Number),
          made_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        },
      ]);
      expect(await workspace.commitWorktree("one", "nothing")).toBeNull();

      await writeFile(join(made.path, "new.txt"), "x".repeat(5000));
      const [use] = await workspace.worktrees();
      expect(use).toMatchObject({ dirty: true });
      expect(use?.bytes).toBeGreaterThan(5000);
      await expect(workspace.removeWorktree("one", { force: false })).rejects.toMatchObject({
        ...REFUSAL,
        message: expect.stringContaining("new.txt"),
      });

      expect(await workspace.commitWorktree("one", "Add a file")).toEqual(expect.any(String));
      expect(await workspace.worktrees()).toMatchObject([{ id: "one", dirty: false }]);
      expect(await workspace.commitWorktree("one", "again")).toBeNull();
      await workspace.removeWorktree("one", { force: false });
      expect(await workspace.worktrees()).toEqual([]);
      await expect(access(made.top)).rejects.toThrow();
      expect(await readdir(cwd)).not.toContain("new.txt");
    }));

  test("starts one from a checkpoint, with its files and what is installed", () =>
    withPlace(async ({ cwd, workspace }) => {
      await mkdir(join(cwd, "node_modules/dep"), { recursive: true });
      await writeFile(join(cwd, "node_modules/dep/index.js"), "dep");
      await writeFile(join(cwd, "a.txt"), "one");
      const kept = await workspace.checkpoint("loop", 0, "Start");
      await writeFile(join(cwd, "a.txt"), "two");
      const { path } = await workspace.addWorktree("fork", kept.commit);
      expect(await readFile(join(path, "a.txt"), "utf8")).toBe("one");
      expect(await readFile(join(path, "node_modules/dep/index.js"), "utf8")).toBe("dep");
      expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("two");
      expect(await workspace.worktrees()).toMatchObject([{ id: "fork", dirty: true }]);
      await workspace.removeWorktree("fork", { force: true });
      expect(await workspace.worktrees()).toEqual([]);
    }));

  test("is measured by a workspace of its own, which knows the trees of the first", () =>
    withPlace(async ({ cwd, workspace, openAt }) => {
      await mkdir(join(cwd, "sub"));
      await writeFile(join(cwd, "sub/a.txt"), "one");
      await writeFile(join(cwd, ".env"), "secret");
      const kept = await workspace.checkpoint("loop", 0, "Start");
      const { path } = await workspace.addWorktree("fork", kept.commit);
      const there = await openAt(path);
      await writeFile(join(path, "sub/a.txt"), "two");
      expect(await there.changes(kept.tree, await there.tree())).toEqual([
        { path: ".env", kind: "deleted" },
        { path: "sub/a.txt", kind: "modified" },
      ]);
    }));

  test("refuses an id that is taken, no id at all, and one that nobody knows", () =>
    withPlace(async ({ workspace }) => {
      await workspace.addWorktree("one", null);
      await expect(workspace.addWorktree("one", null)).rejects.toMatchObject(REFUSAL);
      await expect(workspace.addWorktree("../up", null)).rejects.toMatchObject({
        code: "invalid_id",
      });
      await expect(workspace.commitWorktree("two", "x")).rejects.toMatchObject(REFUSAL);
      await expect(workspace.removeWorktree("two", { force: true })).rejects.toMatchObject(REFUSAL);
      expect(await workspace.worktrees()).toMatchObject([{ id: "one" }]);
    }));
}
