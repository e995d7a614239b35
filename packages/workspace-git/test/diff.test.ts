import { chmod, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffCheckpoints } from "../src/checkpoint/diff.ts";
import { blobNameCache } from "../src/checkpoint/raw-tree.ts";
import { requireRepository } from "../src/git/repository.ts";
import { gitWorkspace } from "../src/index.ts";
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

test("names paths as seen from the folder that was opened, in the patch too", async () => {
  const { files, patch } = await diffOf(
    {
      "a/deep/x.txt": "x\n",
      "a/y.txt": "y\n",
      "b/two words.txt": "z\n",
      'b/quo"te': "q\n",
      "b/bin": "\0",
    },
    (cwd) =>
      fill(cwd, {
        "a/deep/x.txt": "x\ndiff --git a/x b/x\n\rdiff --git a/x b/x\n--- a/x\n",
        "a/y.txt": "2\n",
        "b/two words.txt": "2\n",
        'b/quo"te': "2\n",
        "b/bin": "\0\0",
        "new.txt": "2\n",
      }),
    "a/deep",
  );
  expect(files.map(({ path }) => path)).toEqual([
    "x.txt",
    "../y.txt",
    "../../b/bin",
    '../../b/quo"te',
    "../../b/two words.txt",
    "../../new.txt",
  ]);
  expect(patch.split("\n").filter((line) => /^(diff|---|\+\+\+|Binary)/.test(line))).toEqual([
    "diff --git a/x.txt b/x.txt",
    "--- a/x.txt",
    "+++ b/x.txt",
    "diff --git a/../y.txt b/../y.txt",
    "--- a/../y.txt",
    "+++ b/../y.txt",
    "diff --git a/../../b/bin b/../../b/bin",
    "Binary files a/../../b/bin and b/../../b/bin differ",
    'diff --git "a/../../b/quo\\"te" "b/../../b/quo\\"te"',
    '--- "a/../../b/quo\\"te"',
    '+++ "b/../../b/quo\\"te"',
    "diff --git a/../../b/two words.txt b/../../b/two words.txt",
    "--- a/../../b/two words.txt\t",
    "+++ b/../../b/two words.txt\t",
    "diff --git a/../../new.txt b/../../new.txt",
    "--- /dev/null",
    "+++ b/../../new.txt",
  ]);
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
    "diff --git a/thing b/thing",
    "diff --git a/thing b/thing",
    "diff --git a/z b/z",
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
  const opened = { repository, objects: "", names: blobNameCache(repository) };
  const { files, patch } = await diffCheckpoints(opened, from, to, 1000);
  expect(files.map(({ added }) => added)).toEqual([100, 100]);
  expect(patch).toContain("+a line\n");
  expect(Buffer.byteLength(patch)).toBeLessThan(1200);
  expect(patch.trimEnd().split("\n").at(-1)).toMatch(/^… cut here: .* 1000 bytes/);
});
