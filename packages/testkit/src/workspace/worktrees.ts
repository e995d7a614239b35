import { access, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../temp-folders.ts";
import type { Place, WithPlace } from "./harness.ts";

/** Checkouts: the files of a checkpoint with what is installed. */
export function describeCheckouts(withPlace: WithPlace): void {
  const checkedOut = async ({ workspace, elsewhere }: Place): Promise<string> => {
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    return (await workspace.checkout(commit, elsewhere)).cwd;
  };

  test("checks out the kept files, and nothing of ours or of a repository", () =>
    withPlace(async (place) => {
      await writeFiles(place.cwd, { "a.txt": "one", "sub/b.txt": "two", ".env": "secret" });
      const folder = await checkedOut(place);
      expect((await readdir(folder)).filter((name) => name !== ".gitignore").sort()).toEqual([
        "a.txt",
        "sub",
      ]);
      expect(await readFile(join(folder, "sub/b.txt"), "utf8")).toBe("two");
    }));

  test("lends what is installed; what is written beside it stays in the copy", () =>
    withPlace(async (place) => {
      await writeFiles(place.cwd, {
        "a.txt": "one",
        "node_modules/one/index.js": "1",
        "node_modules/@scope/two/index.js": "2",
        "node_modules/.cache/x": "",
      });
      const folder = await checkedOut(place);
      const installed = join(folder, "node_modules");
      expect((await readdir(installed)).sort()).toEqual(["@scope", "one"]);
      expect(await readFile(join(installed, "@scope/two/index.js"), "utf8")).toBe("2");
      await writeFiles(folder, { "node_modules/.vite/cache": "written by a test" });
      expect((await readdir(join(place.cwd, "node_modules"))).sort()).toEqual([
        ".cache",
        "@scope",
        "one",
      ]);
    }));

  test("leads links into the project to the copy", () =>
    withPlace(async (place) => {
      await writeFiles(place.cwd, {
        "packages/one/index.js": "1",
        "packages/one/node_modules/dep/index.js": "dep",
        "node_modules/.bin/tool": "#!/bin/sh\n",
      });
      await symlink("../packages/one", join(place.cwd, "node_modules/one"));
      const folder = await checkedOut(place);
      await writeFiles(folder, { "packages/one/index.js": "of the copy" });
      const read = (path: string) => readFile(join(folder, path), "utf8");
      expect(await read("node_modules/one/index.js")).toBe("of the copy");
      expect(await read("packages/one/node_modules/dep/index.js")).toBe("dep");
      expect(await read("node_modules/.bin/tool")).toBe("#!/bin/sh\n");
    }));

  test("refuses a folder that holds something, and one inside the project", () =>
    withPlace(async ({ cwd, elsewhere, workspace }) => {
      await writeFiles(cwd, { "a.txt": "one" });
      await writeFiles(elsewhere, { "a.txt": "somebody's" });
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      for (const folder of [elsewhere, join(cwd, ".workflow/checkout"), join(elsewhere, "a.txt")]) {
        await expect(workspace.checkout(commit, folder)).rejects.toMatchObject({
          code: "invalid_input",
        });
      }
      expect(await readFile(join(elsewhere, "a.txt"), "utf8")).toBe("somebody's");
    }));
}

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
      await writeFiles(cwd, { "node_modules/dep/index.js": "dep", "a.txt": "one" });
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
      await writeFiles(cwd, { "sub/a.txt": "one", ".env": "secret" });
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
