import { chmod, chown, mkdir, readFile, realpath, rm, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitWorkspace, openWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";

/** The paths that `act` changes, as the workspace of `cwd` sees it. */
async function changesOf(cwd: string, act: () => Promise<unknown>): Promise<string[]> {
  const workspace = gitWorkspace(cwd);
  const before = await workspace.tree();
  await act();
  const changes = await workspace.changes(before, await workspace.tree());
  return changes.map(({ kind, path }) => `${kind} ${path}`).sort();
}

async function repository(files: Record<string, string> = {}): Promise<string> {
  const cwd = await place(files);
  await makeRepository(cwd);
  return cwd;
}

test("a subfolder sees the whole repository, with paths from where it stands", async () => {
  const top = await repository({ "a/deep/x.txt": "x", "a/y.txt": "y", "b/z.txt": "z" });
  const changes = await changesOf(join(top, "a/deep"), () =>
    fill(top, { "a/deep/x.txt": "2", "a/y.txt": "2", "b/z.txt": "2", "new.txt": "2" }),
  );
  expect(changes).toEqual([
    "added ../../new.txt",
    "modified ../../b/z.txt",
    "modified ../y.txt",
    "modified x.txt",
  ]);
});

test("a room of a subfolder has the whole repository, and says where its top is", async () => {
  const top = await repository({ "a/deep/x.txt": "x", "b/z.txt": "z" });
  const workspace = await openWorkspace(join(top, "a/deep"));
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  const room = await workspace.checkout(commit, join(await place(), "room"));
  expect(room).toMatchObject({ cwd: join(room.top, "a/deep"), project: await realpath(top) });
  expect(await readFile(join(room.top, "b/z.txt"), "utf8")).toBe("z");
});

test("a worktree is measured by its own index", async () => {
  const main = await repository({ "a.txt": "a" });
  const tree = join(await place(), "tree");
  await userGit(main, "worktree", "add", "-q", tree);
  expect(await changesOf(tree, () => fill(tree, { "a.txt": "2", "b.txt": "b" }))).toEqual([
    "added b.txt",
    "modified a.txt",
  ]);
  expect(await userGit(main, "status", "--porcelain")).toBe("");
});

test("files of ours that are tracked do not count", async () => {
  const cwd = await repository({ "a.txt": "a", ".workflow/.loop/x.json": "{}" });
  expect(await userGit(cwd, "ls-files")).toContain("x.json");
  expect(await changesOf(cwd, () => fill(cwd, { ".workflow/.loop/x.json": "[]" }))).toEqual([]);
  const untrack = () => userGit(cwd, "rm", "-q", "-r", "--cached", ".workflow");
  expect(await changesOf(cwd, untrack)).toEqual([]);
});

test("an edit in the moment the index was written is seen", async () => {
  const cwd = await repository({ "a.txt": "one" });
  const moment = 1_000_000_000;
  const stamp = () => utimes(join(cwd, "a.txt"), moment, moment);
  // Without these two the file's other time would give the edit away.
  await userGit(cwd, "config", "core.trustctime", "false");
  await userGit(cwd, "config", "core.checkStat", "minimal");
  await stamp();
  await userGit(cwd, "add", "a.txt");
  await utimes(join(cwd, ".git/index"), moment, moment);
  const edit = () => fill(cwd, { "a.txt": "two" }).then(stamp);
  expect(await changesOf(cwd, edit)).toEqual(["modified a.txt"]);
});

test("a file behind a filter is named by what lies in the folder", async () => {
  const cwd = await repository({ ".gitattributes": "*.txt filter=upper\n" });
  await userGit(cwd, "config", "filter.upper.clean", "tr a-z A-Z");
  await fill(cwd, { "a.txt": "small", "b.txt": "small" });
  await utimes(join(cwd, "a.txt"), 1_000_000_000, 1_000_000_000);
  await userGit(cwd, "add", "-A");
  expect(await userGit(cwd, "show", ":a.txt")).toBe("SMALL");
  const touch = () => fill(cwd, { "a.txt": "small" });
  expect(await changesOf(cwd, touch)).toEqual([]);
  const edit = () => fill(cwd, { "a.txt": "SMALL", "b.txt": "SMALL" });
  expect(await changesOf(cwd, edit)).toEqual(["modified a.txt", "modified b.txt"]);
  expect(await changesOf(cwd, () => rm(join(cwd, "b.txt")))).toEqual(["deleted b.txt"]);
});

test("files that were ignored after they were tracked do count", async () => {
  const cwd = await repository({ "a.log": "a" });
  await fill(cwd, { ".gitignore": "*.log\n" });
  expect(await changesOf(cwd, () => fill(cwd, { "a.log": "2", "b.log": "b" }))).toEqual([
    "modified a.log",
  ]);
});

test.each([["--assume-unchanged"], ["--skip-worktree"]])(
  "an edit is seen although git was told %s",
  async (mark) => {
    const cwd = await repository({ "a.txt": "a" });
    await userGit(cwd, "update-index", mark, "a.txt");
    expect(await changesOf(cwd, () => fill(cwd, { "a.txt": "2" }))).toEqual(["modified a.txt"]);
    expect(await userGit(cwd, "status", "--porcelain")).toBe("");
  },
);

test("what a sparse checkout leaves out is still there", async () => {
  const cwd = await repository({ "in/a.txt": "a", "out/b.txt": "b" });
  const whole = await gitWorkspace(cwd).tree();
  await userGit(cwd, "sparse-checkout", "set", "in");
  expect(await gitWorkspace(cwd).tree()).toBe(whole);
  expect(await changesOf(cwd, () => fill(cwd, { "in/a.txt": "2" }))).toEqual(["modified in/a.txt"]);
});

test("a submodule is its commit", async () => {
  const inner = await repository({ "i.txt": "i" });
  const cwd = await repository({ "a.txt": "a" });
  await userGit(cwd, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sub");
  await userGit(cwd, "commit", "-q", "-m", "submodule");
  const sub = join(cwd, "sub");
  expect(await changesOf(cwd, () => fill(sub, { "i.txt": "not committed" }))).toEqual([]);
  expect(await changesOf(cwd, () => userGit(sub, "commit", "-q", "-a", "-m", "2"))).toEqual([
    "modified sub",
  ]);
});

test("a repository inside, which nobody added, is its commit too", async () => {
  const cwd = await repository({ "a.txt": "a" });
  const nested = join(cwd, "nested repo");
  await mkdir(nested);
  await userGit(nested, "init", "-q");
  await fill(nested, { "x.txt": "x" });
  expect(await changesOf(cwd, () => makeRepository(nested))).toEqual(["added nested repo"]);
});

test("line ends are content, also where git converts them", async () => {
  const cwd = await repository({ ".gitattributes": "* text=auto\n", "a.txt": "a\n" });
  expect(await changesOf(cwd, () => fill(cwd, { "a.txt": "a\r\n" }))).toEqual(["modified a.txt"]);
});

describe("an untracked file that is too large to read", () => {
  test("is there by size and time", async () => {
    const cwd = await repository({ "a.txt": "a" });
    const large = join(cwd, "large.bin");
    const grow = async (gigabytes: number) => {
      await fill(cwd, { "large.bin": "" });
      await truncate(large, gigabytes * 1024 ** 3);
      await utimes(large, 1_000_000_000, 1_000_000_000);
    };
    expect(await changesOf(cwd, () => grow(500))).toEqual(["added large.bin"]);
    expect(await changesOf(cwd, () => grow(500))).toEqual([]);
    expect(await changesOf(cwd, () => grow(501))).toEqual(["modified large.bin"]);
    expect(await changesOf(cwd, () => utimes(large, 1_000_000_001, 1_000_000_001))).toEqual([
      "modified large.bin",
    ]);
    expect(await changesOf(cwd, () => chmod(large, 0o755))).toEqual(["modified large.bin"]);
    expect(await changesOf(cwd, () => rm(large))).toEqual(["deleted large.bin"]);
  });
});

test("names by SHA-256 in a repository that uses it", async () => {
  const cwd = await place({ "a.txt": "a" });
  await userGit(cwd, "init", "-q", "--object-format=sha256");
  expect(await gitWorkspace(cwd).tree()).toMatch(/^[0-9a-f]{64}$/);
  expect(await changesOf(cwd, () => fill(cwd, { "a.txt": "2" }))).toEqual(["modified a.txt"]);
  await fill(cwd, { "large.bin": "" });
  expect(await changesOf(cwd, () => truncate(join(cwd, "large.bin"), 1024 ** 4))).toEqual([
    "modified large.bin",
  ]);
});

test("the repository may lie in a folder with any name", async () => {
  const cwd = join(await place(), 'a "b": c\nd ü');
  await mkdir(cwd);
  await makeRepository(cwd);
  expect(await changesOf(cwd, () => fill(cwd, { "a.txt": "a" }))).toEqual(["added a.txt"]);
});

describe("openWorkspace", () => {
  test("is git inside a repository", async () => {
    const cwd = await repository({ "a/b.txt": "" });
    expect((await openWorkspace(cwd)).kind).toBe("git");
    expect((await openWorkspace(join(cwd, "a"))).kind).toBe("git");
  });

  test("is files elsewhere, in a bare repository, and in a folder that its repository ignores", async () => {
    expect((await openWorkspace(await place())).kind).toBe("files");
    const cwd = await repository({ "node_modules/x/a.txt": "a" });
    expect((await openWorkspace(join(cwd, "node_modules/x"))).kind).toBe("files");
    const bare = await place();
    await userGit(bare, "init", "-q", "--bare");
    expect((await openWorkspace(bare)).kind).toBe("files");
    expect((await openWorkspace(join(cwd, ".git"))).kind).toBe("files");
  });

  test("says why when git does not trust the repository", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip("Only root can give a folder away.");
    const cwd = await repository();
    await chown(cwd, 12345, 12345);
    await expect(openWorkspace(cwd)).rejects.toMatchObject({ code: "unsafe_path" });
  });
});

test("says what to do where there is no repository", async () => {
  const cwd = await realpath(await place());
  await expect(gitWorkspace(cwd).tree()).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("git init"),
  });
});
