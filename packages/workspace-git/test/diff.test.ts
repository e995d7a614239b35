import { chmod, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { changedLines } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { diffCheckpoints } from "../src/checkpoint/diff.ts";
import { objectsFolder } from "../src/folders.ts";
import { requireRepository } from "../src/git/repository.ts";
import { gitWorkspace } from "../src/index.ts";
import { openRepository } from "../src/measure/open-repository.ts";
import { fill } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

async function diffOf(
  files: Record<string, string>,
  act: (cwd: string) => Promise<unknown>,
  inner = ".",
) {
  const cwd = await repositoryWith(files);
  const workspace = gitWorkspace(join(cwd, inner));
  const { commit: from } = await workspace.checkpoint("loop", 0, "Start");
  await act(cwd);
  const { commit: to } = await workspace.checkpoint("loop", 1, "DEVELOP");
  return { cwd, ...(await workspace.diff(from, to)) };
}

test("names files as seen from the folder that was opened, and says where its patch begins", async () => {
  const { files, patch, prefix } = await diffOf(
    { "a/deep/x.txt": "x\n", "a/y.txt": "y\n", "b/two words.txt": "z\n", "b/bin": "\0" },
    (cwd) =>
      fill(cwd, {
        "a/deep/x.txt": "x\n2\n",
        "a/y.txt": "2\n",
        "b/two words.txt": "2\n",
        "b/bin": "\0\0",
        "new.txt": "2\n",
      }),
    "a/deep",
  );
  expect(files.map(({ path }) => path)).toEqual([
    "x.txt",
    "../y.txt",
    "../../b/bin",
    "../../b/two words.txt",
    "../../new.txt",
  ]);
  expect(prefix).toBe("a/deep/");
  expect([...changedLines(patch)]).toEqual([
    ["a/deep/x.txt", [2]],
    ["a/y.txt", [1]],
    ["b/two words.txt", [1]],
    ["new.txt", [1]],
  ]);
});

test("is a patch that git can apply in the subfolder of a project and at its top", async () => {
  const before = { "a/deep/x.txt": "x\n", 'a/quo"te.txt': "q\n", "b/y.txt": "y\n" };
  const { cwd, patch } = await diffOf(
    before,
    (cwd) => fill(cwd, { "a/deep/x.txt": "2\n", 'a/quo"te.txt': "2\n", "a/deep/new.txt": "2\n" }),
    "a/deep",
  );
  await writeFile(join(cwd, ".git/patch"), patch);
  for (const [folder, changed] of [
    ["a/deep", ["a/deep/new.txt", "a/deep/x.txt"]],
    [".", ["a/deep/new.txt", "a/deep/x.txt", 'a/quo"te.txt']],
  ] as const) {
    await userGit(cwd, "reset", "-q", "--hard");
    await rm(join(cwd, "a/deep/new.txt"), { force: true });
    await userGit(join(cwd, folder), "apply", join(cwd, ".git/patch"));
    const status = await userGit(cwd, "status", "--porcelain", "-z");
    const paths = status
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => line.slice(3));
    expect(paths.sort()).toEqual(changed);
  }
});

test("takes a change of what a thing is for one change of it", async () => {
  const { files, patch } = await diffOf(
    { "a/thing": "one\n", "a/z": "z\n" },
    async (cwd) => {
      await rm(join(cwd, "a/thing"));
      await symlink("z", join(cwd, "a/thing"));
      await chmod(join(cwd, "a/z"), 0o755);
    },
    "a",
  );
  expect(files).toEqual([
    { path: "thing", kind: "modified", added: 1, removed: 1 },
    { path: "z", kind: "modified", added: 0, removed: 0 },
  ]);
  expect(patch.match(/^diff --git .*$/gm)).toEqual([
    "diff --git a/a/thing b/a/thing",
    "diff --git a/a/thing b/a/thing",
    "diff --git a/a/z b/a/z",
  ]);
});

test("is a patch that git can apply, whatever the user's configuration says", async () => {
  const { cwd, patch } = await diffOf({ "a.txt": "one\n", "gone.txt": "gone\n" }, async (cwd) => {
    for (const [key, value] of [
      ["diff.noprefix", "true"],
      ["diff.mnemonicPrefix", "true"],
      ["color.ui", "always"],
      ["diff.renames", "copies"],
      ["diff.context", "0"],
    ] as const) {
      await userGit(cwd, "config", key, value);
    }
    await rm(join(cwd, "gone.txt"));
    await fill(cwd, { "a.txt": "two\n", "grüße.txt": "gone\n" });
  });
  await userGit(cwd, "reset", "-q", "--hard");
  await rm(join(cwd, "grüße.txt"));
  await writeFile(join(cwd, ".git/patch"), patch);
  await userGit(cwd, "apply", ".git/patch");
  expect(
    await userGit(
      cwd,
      "-c",
      "color.ui=never",
      "-c",
      "core.quotePath=false",
      "status",
      "--porcelain",
    ),
  ).toBe(" M a.txt\n D gone.txt\n?? grüße.txt\n");
});

test("is cut where it gets too long, and says so", async () => {
  const cwd = await repositoryWith({});
  const workspace = gitWorkspace(cwd);
  const { commit: from } = await workspace.checkpoint("loop", 0, "Start");
  await fill(cwd, { "a.txt": "a line\n".repeat(100), "b.txt": "another\n".repeat(100) });
  const { commit: to } = await workspace.checkpoint("loop", 1, "DEVELOP");
  const repository = await requireRepository(cwd);
  const opened = openRepository(repository, await objectsFolder(cwd));
  const { files, patch } = await diffCheckpoints(opened, from, to, { most: 1000 });
  expect(files.map(({ added }) => added)).toEqual([100, 100]);
  expect(patch).toContain("+a line\n");
  expect(Buffer.byteLength(patch)).toBeLessThan(1200);
  expect(patch.trimEnd().split("\n").at(-1)).toMatch(/^… cut here: .* 1000 bytes/);
});
