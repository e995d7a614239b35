import { access, lstat, mkdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isLoopError } from "@ccw-loop/core";
import { describe, expect, test, vi } from "vitest";
import { objectsFolder } from "../src/folders.ts";
import { requireRepository } from "../src/git/repository.ts";
import { gitWorkspace } from "../src/index.ts";
import { openRepository } from "../src/measure/open-repository.ts";
import { commitTree } from "../src/worktree/commit.ts";
import { fill, place } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";
import { filesIn, userState } from "./states.ts";

const REFUSAL = { code: "invalid_input" };

/** A repository in a folder of its own, so that what lies beside it is removed too. */
async function project(files: Record<string, string> = { "a.txt": "a" }) {
  const cwd = join(await realpath(await place()), "project");
  await fill(cwd, files);
  await makeRepository(cwd);
  return { cwd, workspace: gitWorkspace(cwd) };
}

const one = (text: Promise<string>) => text.then((found) => found.trim());

test("starts at HEAD, and the user's own things stay as they are", async () => {
  const { cwd, workspace } = await project();
  await fill(cwd, { "a.txt": "staged" });
  await userGit(cwd, "add", "a.txt");
  await fill(cwd, { "a.txt": "edited", "b.txt": "untracked" });
  const before = [await userState(join(cwd, ".git")), await filesIn(cwd, /^\.(git|workflow)$/)];
  const { path, branch } = await workspace.addWorktree("one", null);
  expect(await filesIn(path, /^\.(git|workflow)$/)).toEqual({
    ".gitignore": "file node_modules\n",
    "a.txt": "file a",
  });
  expect(await one(userGit(cwd, "rev-parse", branch))).toBe(
    await one(userGit(cwd, "rev-parse", "HEAD")),
  );
  expect(await userGit(path, "status", "--porcelain", "--branch")).toBe(`## ${branch}\n`);
  await workspace.removeWorktree("one", { force: false });
  expect([await userState(join(cwd, ".git")), await filesIn(cwd, /^\.(git|workflow)$/)]).toEqual(
    before,
  );
  await expect(access(`${cwd}.worktrees`)).rejects.toThrow();
});

test("several are made at the same time", async () => {
  const { cwd } = await project();
  const ids = ["one", "two", "three", "four", "five", "six"];
  const made = await Promise.all(ids.map((id) => gitWorkspace(cwd).addWorktree(id, null)));
  expect(made.map(({ branch }) => branch)).toEqual(ids.map((id) => `ccw-loop/${id}`));
});

test("starts at the commit that a checkpoint was made on, with its files as changes", async () => {
  const { cwd, workspace } = await project({ "a.txt": "a", "sub/b.txt": "b" });
  const base = await one(userGit(cwd, "rev-parse", "HEAD"));
  await fill(cwd, { "a.txt": "edited", "c.txt": "new" });
  await rm(join(cwd, "sub"), { recursive: true });
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  await userGit(cwd, "commit", "-q", "-a", "-m", "later");
  const { path } = await workspace.addWorktree("fork", commit);
  expect(await one(userGit(path, "rev-parse", "HEAD"))).toBe(base);
  expect(await userGit(path, "status", "--porcelain")).toBe(" M a.txt\n D sub/b.txt\n?? c.txt\n");
});

test("is the folder that corresponds to the opened one, beside the main worktree", async () => {
  const { cwd } = await project({ "sub/deep/a.txt": "a" });
  const linked = join(await realpath(await place()), "linked");
  await userGit(cwd, "worktree", "add", "-q", linked);
  const workspace = gitWorkspace(join(linked, "sub/deep"));
  expect(await workspace.addWorktree("one", null)).toEqual({
    path: join(`${cwd}.worktrees`, "one/sub/deep"),
    top: join(`${cwd}.worktrees`, "one"),
    branch: "ccw-loop/one",
  });
  await userGit(cwd, "worktree", "add", "-q", "-b", "own", join(`${cwd}.worktrees`, "the user's"));
  await userGit(cwd, "worktree", "add", "-q", "-b", "own2", join(`${cwd}.worktrees`, "own"));
  expect(await gitWorkspace(cwd).worktrees()).toMatchObject([{ id: "one" }]);
});

describe("what is installed", () => {
  test("is lent where the worktree ignores it too, and shows in no status", async () => {
    const { cwd, workspace } = await project();
    await fill(cwd, { ".gitignore": "node_modules/\n" });
    await userGit(cwd, "commit", "-q", "-a", "-m", "a folder only");
    await fill(cwd, {
      "node_modules/dep/x.js": "x",
      "venv/pyvenv.cfg": "",
      ".gitignore": "node_modules/\nvenv\n",
    });
    const { path } = await workspace.addWorktree("one", null);
    expect((await lstat(join(path, "node_modules"))).isDirectory()).toBe(true);
    expect(await readFile(join(path, "node_modules/dep/x.js"), "utf8")).toBe("x");
    await expect(access(join(path, "venv"))).rejects.toThrow();
    expect(await userGit(path, "status", "--porcelain")).toBe("");
    expect(await workspace.commitWorktree("one", "nothing")).toBeNull();
    await workspace.removeWorktree("one", { force: true });
    expect(await readFile(join(cwd, "node_modules/dep/x.js"), "utf8")).toBe("x");
  });

  test("does not count as disk use", async () => {
    const { cwd, workspace } = await project();
    await fill(cwd, {
      "node_modules/dep/x.js": "x".repeat(100_000),
      "node_modules/y.js": "y".repeat(100_000),
    });
    const { path } = await workspace.addWorktree("one", null);
    await fill(path, { "b.txt": "b".repeat(10_000) });
    const [use] = await workspace.worktrees();
    expect(use?.bytes).toBeGreaterThan(10_000);
    expect(use?.bytes).toBeLessThan(20_000);
  });
});

describe("a commit", () => {
  test("is the user's, with everything but secrets, large files and what is ours", async () => {
    const { cwd, workspace } = await project({
      "a.txt": "a",
      ".workflow/kept.json": "1",
      ".workflow/gone.json": "2",
    });
    await userGit(cwd, "config", "user.name", "Ada");
    await userGit(cwd, "config", "user.email", "ada@example.org");
    const { path, branch } = await workspace.addWorktree("one", null);
    await fill(path, {
      "a.txt": "edited\r\n",
      "sub/new.txt": "new",
      ".env": "secret",
      "large.bin": "x".repeat(11 * 1024 * 1024),
      ".workflow/kept.json": "ours",
    });
    await rm(join(path, ".workflow/gone.json"));
    const commit = await workspace.commitWorktree("one", "Do it\n\nAs was asked.");
    expect(await one(userGit(cwd, "rev-parse", branch))).toBe(commit);
    expect(await one(userGit(cwd, "log", "-1", "--format=%an <%ae> %cn %s|%b", branch))).toBe(
      "Ada <ada@example.org> Ada Do it|As was asked.",
    );
    expect(await userGit(cwd, "ls-tree", "-r", "--name-only", branch)).toBe(
      ".gitignore\n.workflow/gone.json\n.workflow/kept.json\na.txt\nsub/new.txt\n",
    );
    expect(await userGit(cwd, "show", `${branch}:.workflow/kept.json`)).toBe("1");
    expect(await userGit(path, "status", "--porcelain", "-uno")).toBe(
      " D .workflow/gone.json\n M .workflow/kept.json\n",
    );
    expect(await workspace.worktrees()).toMatchObject([{ dirty: true }]);
    await expect(workspace.removeWorktree("one", { force: false })).rejects.toMatchObject({
      ...REFUSAL,
      details: { paths: expect.arrayContaining([".env", "large.bin"]) },
    });
  });

  test("is ours where the user has no name, and stores line ends as git does", async () => {
    const { cwd, workspace } = await project({ "a.txt": "a", ".gitattributes": "* text=auto\n" });
    // Whatever the configuration of this machine says.
    await userGit(cwd, "config", "user.name", "");
    const { path, branch } = await workspace.addWorktree("one", null);
    await fill(path, { "b.txt": "one\r\ntwo\r\n" });
    await workspace.commitWorktree("one", "Windows");
    expect(await userGit(cwd, "show", `${branch}:b.txt`)).toBe("one\ntwo\n");
    expect(await one(userGit(cwd, "log", "-1", "--format=%an <%ae>", branch))).toBe(
      "CCW Loop <ccw-loop@localhost>",
    );
    expect(await userGit(path, "status", "--porcelain")).toBe("");
  });

  test.each(["the project", "the worktree itself"])(
    "asked of %s comes on top of what the agent committed, wherever its HEAD is",
    async (asked) => {
      const { cwd, workspace: main } = await project();
      const { path, branch } = await main.addWorktree("one", null);
      const workspace = asked === "the project" ? main : gitWorkspace(path);
      await workspace.tree();
      await fill(path, { "b.txt": "b" });
      await userGit(path, "add", "-A");
      await userGit(path, "commit", "-q", "-m", "by the agent");
      expect(await workspace.commitWorktree("one", "nothing")).toBeNull();

      await userGit(path, "switch", "-q", "--detach");
      await userGit(path, "commit", "-q", "--allow-empty", "-m", "beside the branch");
      const beside = await one(userGit(path, "rev-parse", "HEAD"));
      expect(await workspace.commitWorktree("one", "nothing")).toBe(beside);
      expect(await one(userGit(path, "symbolic-ref", "HEAD"))).toBe(`refs/heads/${branch}`);

      await userGit(path, "switch", "-q", "--orphan", "elsewhere");
      await fill(path, { "c.txt": "c" });
      await userGit(path, "add", "-A");
      await userGit(path, "commit", "-q", "-m", "another root");
      const commit = (await workspace.commitWorktree("one", "Both")) ?? "";
      expect(await one(userGit(cwd, "log", "--format=%s", "--no-walk", `${commit}^@`))).toMatch(
        /another root|beside the branch/,
      );
      expect(await userGit(cwd, "ls-tree", "-r", "--name-only", commit)).toBe("c.txt\n");
      expect(await userGit(path, "status", "--porcelain")).toBe("");
    },
  );
});

describe("removing", () => {
  test("leaves a branch that has something new, and takes one that has not", async () => {
    const { cwd, workspace } = await project();
    const { path } = await workspace.addWorktree("one", null);
    await workspace.addWorktree("two", null);
    await fill(path, { "b.txt": "b" });
    await workspace.commitWorktree("one", "Add a file");
    for (const id of ["one", "two"]) await workspace.removeWorktree(id, { force: false });
    expect(await userGit(cwd, "branch", "--format=%(refname:short)")).toBe("ccw-loop/one\nmain\n");
    await expect(workspace.addWorktree("one", null)).rejects.toMatchObject({
      ...REFUSAL,
      message: expect.stringContaining("ccw-loop/one"),
    });
    await userGit(cwd, "merge", "-q", "ccw-loop/one");
    await workspace.addWorktree("three", null);
    await workspace.removeWorktree("three", { force: true });
    expect(await userGit(cwd, "branch", "--list", "ccw-loop/three")).toBe("");
  });

  test("works when somebody has removed the folder; refuses when it is locked", async () => {
    const { cwd, workspace } = await project();
    const first = await workspace.addWorktree("one", null);
    const second = await workspace.addWorktree("two", null);
    await rm(first.top, { recursive: true });
    expect(await workspace.worktrees()).toMatchObject([
      { id: "one", bytes: 0, dirty: false },
      { id: "two" },
    ]);
    await workspace.removeWorktree("one", { force: false });
    await userGit(cwd, "worktree", "lock", second.top);
    await expect(workspace.removeWorktree("two", { force: true })).rejects.toMatchObject({
      ...REFUSAL,
      message: expect.stringContaining("unlock"),
    });
    expect((await stat(second.top)).isDirectory()).toBe(true);
  });
});

describe("is refused with the next step, and nothing is left behind,", () => {
  test("before the first commit", async () => {
    const cwd = join(await place(), "project");
    await mkdir(cwd);
    await userGit(cwd, "init", "-q");
    const workspace = gitWorkspace(cwd);
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    for (const from of [null, commit]) {
      await expect(workspace.addWorktree("one", from)).rejects.toMatchObject({
        ...REFUSAL,
        message: expect.stringContaining("git commit"),
      });
    }
    await expect(access(`${cwd}.worktrees`)).rejects.toThrow();
  });

  test("where a folder or a branch is in the way", async () => {
    const { cwd, workspace } = await project();
    await fill(`${cwd}.worktrees`, { "one/a.txt": "somebody's" });
    await expect(workspace.addWorktree("one", null)).rejects.toMatchObject({
      ...REFUSAL,
      message: expect.stringContaining("one exists already"),
    });
    await userGit(cwd, "branch", "ccw-loop");
    await expect(workspace.addWorktree("two", null)).rejects.toMatchObject({
      ...REFUSAL,
      message: expect.stringContaining("git branch -m"),
    });
  });

  test("when the checkpoint cannot be restored in it", async () => {
    const { cwd, workspace } = await project();
    await fill(cwd, { "b.txt": "only in the checkpoint" });
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    const blob = await one(userGit(cwd, "rev-parse", `${commit}:b.txt`));
    await rm(join(cwd, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    await expect(workspace.addWorktree("one", commit)).rejects.toMatchObject({
      code: "store_unavailable",
    });
    expect(await workspace.worktrees()).toEqual([]);
    expect(await userGit(cwd, "branch", "--list", "ccw-loop/*")).toBe("");
  });
});

test("one that somebody removes meanwhile is no trouble of git's", async () => {
  const { cwd, workspace } = await project();
  const top = join(`${cwd}.worktrees`, "one");
  const made = workspace.addWorktree("one", null).then(
    () => "made",
    (error: unknown) => isLoopError(error) && error.code,
  );
  await vi.waitFor(() => access(join(top, "a.txt")), { interval: 1, timeout: 20_000 });
  // Files are written into it at the same time.
  await rm(top, { recursive: true, force: true, maxRetries: 10 });
  expect(["made", "workspace_changed"]).toContain(await made);

  const { top: other } = await workspace.addWorktree("two", null);
  const looks = [workspace.worktrees(), workspace.worktrees()];
  await rm(other, { recursive: true, force: true });
  for (const found of await Promise.all(looks)) {
    expect(["one", "two"]).toEqual(expect.arrayContaining(found.map(({ id }) => id)));
  }
});

test("a file that goes away while it is looked at is not there", async () => {
  const { cwd, workspace } = await project();
  const { path } = await workspace.addWorktree("one", null);
  await fill(path, { "b.txt": "b", "c.txt": "c" });
  const repository = await requireRepository(path);
  const opened = openRepository(repository, await objectsFolder(cwd));
  const look = opened.measure.look.bind(opened.measure);
  opened.measure.look = async (without) => {
    const found = await look(without);
    await rm(join(path, "b.txt"), { force: true });
    return found;
  };
  const { name } = await commitTree(opened, null);
  await userGit(path, "add", "--all");
  expect(name).toBe(await one(userGit(path, "write-tree")));
});
