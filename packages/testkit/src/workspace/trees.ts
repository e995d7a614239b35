import { chmod, mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileChange } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { writeFiles } from "../temp-folders.ts";
import type { Place, WithPlace } from "./harness.ts";

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
        for (const { cwd } of [one, other]) await writeFiles(cwd, { "src/a.txt": "same" });
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
        await writeFiles(join(cwd, folder), { "file.txt": "not part of the tree" });
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

const ODD_NAMES = [
  " space in front and behind ",
  "grüße/日本語 👋.txt",
  "-rf",
  "--all",
  'quo"te',
  "it's",
  "$(touch oops) `x` ;&|",
  "*?[a]",
  ":(top)",
  "#hash",
  "!bang",
  "percent%20",
  "two\nlines",
  "tab\tbed",
  "back\\slash",
  "colon:name",
];

/** Every difference, under its name. */
export function describeChanges(withPlace: WithPlace): void {
  /** The changes that `act` causes, and those on the way back. */
  const around = async (
    { workspace }: Place,
    act: () => Promise<unknown>,
  ): Promise<{ there: FileChange[]; back: FileChange[] }> => {
    const before = await workspace.tree();
    await act();
    const after = await workspace.tree();
    const byPath = (a: FileChange, b: FileChange) => (a.path < b.path ? -1 : 1);
    return {
      there: (await workspace.changes(before, after)).sort(byPath),
      back: (await workspace.changes(after, before)).sort(byPath),
    };
  };

  test("sees what was added, modified, deleted and renamed", () =>
    withPlace(async (place) => {
      const at = (path: string) => join(place.cwd, path);
      for (const name of ["kept", "modified", "deleted", "renamed"]) {
        await writeFiles(at("src"), { [`${name}.txt`]: name });
      }
      const { there, back } = await around(place, async () => {
        await writeFile(at("added.txt"), "new");
        await writeFile(at("src/modified.txt"), "another text");
        await rm(at("src/deleted.txt"));
        await rename(at("src/renamed.txt"), at("src/to.txt"));
      });
      expect(there).toEqual([
        { path: "added.txt", kind: "added" },
        { path: "src/deleted.txt", kind: "deleted" },
        { path: "src/modified.txt", kind: "modified" },
        { path: "src/renamed.txt", kind: "deleted" },
        { path: "src/to.txt", kind: "added" },
      ]);
      expect(back.map(({ kind }) => kind)).toEqual([
        "deleted",
        "added",
        "modified",
        "added",
        "deleted",
      ]);
    }));

  test("sees the first file, and an empty one", () =>
    withPlace(async (place) => {
      const { there } = await around(place, () => writeFile(join(place.cwd, "empty"), ""));
      expect(there).toEqual([{ path: "empty", kind: "added" }]);
    }));

  test("tells names apart that look like something else", () =>
    withPlace(async (place) => {
      const write = (content: string) => () =>
        writeFiles(place.cwd, Object.fromEntries(ODD_NAMES.map((name) => [name, content])));
      const added = await around(place, write("one"));
      expect(added.there).toEqual([...ODD_NAMES].sort().map((path) => ({ path, kind: "added" })));
      const edited = await around(place, write("two"));
      expect(edited.there).toEqual(
        [...ODD_NAMES].sort().map((path) => ({ path, kind: "modified" })),
      );
    }));

  test("sees a file become a folder, and a folder become a file", () =>
    withPlace(async (place) => {
      const file = join(place.cwd, "thing");
      await writeFile(file, "file");
      const { there, back } = await around(place, async () => {
        await rm(file);
        await writeFiles(file, { inside: "now a folder" });
      });
      expect(there).toEqual([
        { path: "thing", kind: "deleted" },
        { path: "thing/inside", kind: "added" },
      ]);
      expect(back.map(({ kind }) => kind)).toEqual(["added", "deleted"]);
    }));

  test("sees who may run a file", () =>
    withPlace(async (place) => {
      const file = join(place.cwd, "run.sh");
      await writeFile(file, "true");
      await chmod(file, 0o644);
      const { there } = await around(place, () => chmod(file, 0o755));
      expect(there).toEqual([{ path: "run.sh", kind: "modified" }]);
    }));

  test("sees where a link points, not what lies there", () =>
    withPlace(async (place) => {
      const link = join(place.cwd, "link");
      const target = join(place.cwd, "node_modules");
      await mkdir(target);
      await symlink("node_modules", link);
      const followed = await around(place, () => writeFile(join(target, "a"), "behind the link"));
      expect(followed.there).toEqual([]);
      const moved = await around(place, async () => {
        await rm(link);
        await symlink("elsewhere", link);
      });
      expect(moved.there).toEqual([{ path: "link", kind: "modified" }]);
    }));

  test("sees a folder become a link to another one", () =>
    withPlace(async (place) => {
      const at = (path: string) => join(place.cwd, path);
      await writeFiles(place.cwd, { "one/file": "one", "two/file": "two" });
      const { there } = await around(place, async () => {
        await rm(at("one"), { recursive: true });
        await symlink("two", at("one"));
      });
      expect(there).toEqual([
        { path: "one", kind: "added" },
        { path: "one/file", kind: "deleted" },
      ]);
    }));

  test("keeps trees for another process", () =>
    withPlace(async (place) => {
      await writeFile(join(place.cwd, "a"), "one");
      const first = await place.workspace.tree();
      await writeFile(join(place.cwd, "a"), "two");
      const second = await place.workspace.tree();
      await writeFile(join(place.cwd, "a"), "three");
      const again = await place.reopened();
      expect(await again.changes(first, second)).toEqual([{ path: "a", kind: "modified" }]);
    }));
}
