import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WithPlace } from "./harness.ts";

/** Equal content, equal name, and nothing else in the name. */
export function describeTreeNames(withPlace: WithPlace): void {
  test("names an unchanged tree the same, however often and by whomever it is measured", () =>
    withPlace(async ({ cwd, workspace, reopened }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const first = await workspace.tree();
      expect(await workspace.tree()).toBe(first);
      expect(await (await reopened()).tree()).toBe(first);
      expect(await workspace.changes(first, first)).toEqual([]);
    }));

  test("names equal content the same, although it was written again", () =>
    withPlace(async ({ cwd, workspace }) => {
      const file = join(cwd, "a.txt");
      await writeFile(file, "one");
      const first = await workspace.tree();
      await writeFile(file, "two");
      const second = await workspace.tree();
      expect(second).not.toBe(first);
      await writeFile(file, "one");
      await utimes(file, 1_000_000_000, 1_000_000_000);
      expect(await workspace.tree()).toBe(first);
    }));

  test("names equal content the same in two places", () =>
    withPlace(async (one) => {
      await withPlace(async (other) => {
        for (const { cwd } of [one, other]) {
          await mkdir(join(cwd, "src"));
          await writeFile(join(cwd, "src/a.txt"), "same");
        }
        expect(await one.workspace.tree()).toBe(await other.workspace.tree());
      });
    }));

  test("sees an edit of the same length in the same moment", () =>
    withPlace(async ({ cwd, workspace }) => {
      const file = join(cwd, "a.txt");
      const names = new Set<string>();
      for (let round = 0; round < 10; round += 1) {
        await writeFile(file, `round ${round}`);
        names.add(await workspace.tree());
      }
      expect(names.size).toBe(10);
    }));

  test("does not see ignored files, nor our own folder", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const before = await workspace.tree();
      for (const folder of ["node_modules/x", ".workflow/.loop/x.progress", "sub/.workflow"]) {
        await mkdir(join(cwd, folder), { recursive: true });
        await writeFile(join(cwd, folder, "file.txt"), "not part of the tree");
      }
      expect(await workspace.tree()).toBe(before);
    }));

  test("agrees with itself when it is asked several times at once", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const names = await Promise.all([workspace.tree(), workspace.tree(), workspace.tree()]);
      expect(new Set(names).size).toBe(1);
    }));

  test("refuses to compare with what names no tree", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const known = await workspace.tree();
      const refusal = { code: "invalid_input" };
      for (const name of ["", "nothing", "HEAD", "--help", "../x", ...NO_TREES]) {
        await expect(workspace.changes(name, known)).rejects.toMatchObject(refusal);
        await expect(workspace.changes(known, name)).rejects.toMatchObject(refusal);
      }
    }));
}

const NO_TREES = ["0".repeat(40), `files-${"0".repeat(64)}`];
