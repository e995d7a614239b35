import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WithPlace } from "./harness.ts";
import { textsOf } from "./keeping.ts";

/** What is not a loop's own: files that are left out, and changes that are carried over. */
export function describeLeftOutFiles(
  withPlace: WithPlace,
  { rewinds }: { rewinds: boolean },
): void {
  test("leaves untracked files out of trees and checkpoints", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const before = await workspace.tree();
      await writeFile(join(cwd, "all.log"), "1");
      expect(await workspace.tree()).not.toBe(before);
      expect(await workspace.tree(["all.log", "none"])).toBe(before);
      expect(await workspace.untracked()).toEqual(expect.arrayContaining(["a.txt", "all.log"]));
      const { commit, tree } = await workspace.checkpoint("loop", 0, "Start", {
        without: ["all.log"],
      });
      expect(tree).toBe(before);
      expect(textsOf(await workspace.read(commit, ["a.txt", "all.log"]))).toEqual({
        "a.txt": "one",
      });
    }));

  test("checks out what a checkpoint was made without, whatever became of it since", () =>
    withPlace(async ({ cwd, workspace, elsewhere }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      await writeFile(join(cwd, "all.log"), "1");
      const without = ["all.log"];
      const { commit } = await workspace.checkpoint("loop", 0, "Start", { without });
      await writeFile(join(cwd, "all.log"), "2");
      const room = await workspace.checkout(commit, elsewhere);
      expect(await readFile(join(room.cwd, "a.txt"), "utf8")).toBe("one");
      await expect(readFile(join(room.cwd, "all.log"))).rejects.toThrow("ENOENT");
    }));

  test("does to a tree what differs between two others", () =>
    withPlace(async ({ cwd, workspace }) => {
      const files = async (contents: Readonly<Record<string, string | null>>) => {
        for (const [path, content] of Object.entries(contents)) {
          const file = join(cwd, path);
          await (content === null ? rm(file, { recursive: true }) : writeFile(file, content));
        }
        return workspace.tree();
      };
      const start = await files({ "own.txt": "1", "theirs.txt": "1", "gone.txt": "1", x: "1" });
      const mine = await files({ "own.txt": "2" });
      const theirs = await files({ "theirs.txt": "2", "gone.txt": null, "new.txt": "1" });
      const moved = await workspace.withChanges(start, mine, theirs);
      expect(await workspace.changes(moved, theirs)).toEqual([
        { path: "own.txt", kind: "modified" },
      ]);
      expect((await workspace.changes(start, moved)).map(({ path }) => path)).toEqual([
        ...["gone.txt", "new.txt", "theirs.txt"],
      ]);
      expect(await workspace.withChanges(start, theirs, theirs)).toBe(start);
      expect(await workspace.withChanges(theirs, theirs, mine)).toBe(mine);
      const refusal = { code: "invalid_input" };
      for (const name of ["", "HEAD", "0".repeat(40)]) {
        await expect(workspace.withChanges(name, mine, theirs)).rejects.toMatchObject(refusal);
        await expect(workspace.withChanges(start, mine, name)).rejects.toMatchObject(refusal);
      }
    }));

  test.skipIf(!rewinds)("goes back without touching the files that it is told to leave", () =>
    withPlace(async ({ cwd, workspace }) => {
      const at = (path: string) => join(cwd, path);
      await writeFile(at("a.txt"), "one");
      await writeFile(at("gone.txt"), "one");
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      await writeFile(at("a.txt"), "two");
      await writeFile(at("own.txt"), "two");
      await writeFile(at("new.txt"), "two");
      await rm(at("gone.txt"));
      const leaves = ["a.txt", "new.txt", "gone.txt"];
      expect(await workspace.restore(commit, leaves)).toEqual([
        { path: "own.txt", kind: "deleted" },
      ]);
      expect(await readFile(at("a.txt"), "utf8")).toBe("two");
      expect(await readFile(at("new.txt"), "utf8")).toBe("two");
      await expect(readFile(at("gone.txt"))).rejects.toThrow("ENOENT");
    }),
  );
}
