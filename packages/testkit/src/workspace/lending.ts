import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Place, WithPlace } from "./harness.ts";

async function fill(cwd: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(cwd, path, ".."), { recursive: true });
    await writeFile(join(cwd, path), content);
  }
}

/** Checkouts: the files of a checkpoint with what is installed. */
export function describeCheckouts(withPlace: WithPlace): void {
  const checkedOut = async ({ workspace, elsewhere }: Place): Promise<string> => {
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    return (await workspace.checkout(commit, elsewhere)).cwd;
  };

  test("checks out the kept files, and nothing of ours or of a repository", () =>
    withPlace(async (place) => {
      await fill(place.cwd, { "a.txt": "one", "sub/b.txt": "two", ".env": "secret" });
      const folder = await checkedOut(place);
      expect((await readdir(folder)).filter((name) => name !== ".gitignore").sort()).toEqual([
        "a.txt",
        "sub",
      ]);
      expect(await readFile(join(folder, "sub/b.txt"), "utf8")).toBe("two");
    }));

  test("lends what is installed; what is written beside it stays in the copy", () =>
    withPlace(async (place) => {
      await fill(place.cwd, {
        "a.txt": "one",
        "node_modules/one/index.js": "1",
        "node_modules/@scope/two/index.js": "2",
        "node_modules/.cache/x": "",
      });
      const folder = await checkedOut(place);
      const installed = join(folder, "node_modules");
      expect((await readdir(installed)).sort()).toEqual(["@scope", "one"]);
      expect(await readFile(join(installed, "@scope/two/index.js"), "utf8")).toBe("2");
      await fill(folder, { "node_modules/.vite/cache": "written by a test" });
      expect((await readdir(join(place.cwd, "node_modules"))).sort()).toEqual([
        ".cache",
        "@scope",
        "one",
      ]);
    }));

  test.skipIf(process.platform === "win32")("leads links into the project to the copy", () =>
    withPlace(async (place) => {
      await fill(place.cwd, {
        "packages/one/index.js": "1",
        "packages/one/node_modules/dep/index.js": "dep",
        "node_modules/.bin/tool": "#!/bin/sh\n",
      });
      await symlink("../packages/one", join(place.cwd, "node_modules/one"));
      const folder = await checkedOut(place);
      await fill(folder, { "packages/one/index.js": "of the copy" });
      const read = (path: string) => readFile(join(folder, path), "utf8");
      expect(await read("node_modules/one/index.js")).toBe("of the copy");
      expect(await read("packages/one/node_modules/dep/index.js")).toBe("dep");
      expect(await read("node_modules/.bin/tool")).toBe("#!/bin/sh\n");
    }),
  );

  test("refuses a folder that holds something, and one inside the project", () =>
    withPlace(async ({ cwd, elsewhere, workspace }) => {
      await fill(cwd, { "a.txt": "one" });
      await fill(elsewhere, { "a.txt": "somebody's" });
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      for (const folder of [elsewhere, join(cwd, ".workflow/checkout"), join(elsewhere, "a.txt")]) {
        await expect(workspace.checkout(commit, folder)).rejects.toMatchObject({
          code: "invalid_input",
        });
      }
      expect(await readFile(join(elsewhere, "a.txt"), "utf8")).toBe("somebody's");
    }));
}
