import { chmod, mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { filesWorkspace, gitWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A repository that runs a program of its own wherever git allows it; each leaves its name in `ran`. */
async function hostileRepository(): Promise<{ cwd: string; ran: () => Promise<string[]> }> {
  const cwd = join(await place(), "project");
  const traces = await place();
  await mkdir(cwd);
  await makeRepository(cwd);
  const trap = async (name: string, then = "") => {
    const file = join(traces, `${name}.sh`);
    await writeFile(file, `#!/bin/sh\ntouch '${join(traces, name)}.ran'\n${then}\n`);
    await chmod(file, 0o755);
    return file;
  };
  await fill(cwd, {
    ".gitattributes": "*.txt filter=evil diff=evil\n*.dat filter=a=b\n",
    "a.txt": "a",
    "b.dat": "b",
  });
  await userGit(cwd, "add", "-A");
  await userGit(cwd, "commit", "-q", "-m", "attributes");
  const config: [string, string][] = [
    ["core.fsmonitor", await trap("fsmonitor")],
    ["core.hooksPath", traces],
    ["diff.external", await trap("external")],
    ["diff.evil.command", await trap("command")],
    ["diff.evil.textconv", await trap("textconv")],
    ["filter.evil.clean", await trap("clean", "cat")],
    ["filter.evil.smudge", await trap("smudge", "cat")],
    ["filter.evil.required", "true"],
    ["core.pager", await trap("pager")],
    ["core.editor", await trap("editor")],
    ["core.sshCommand", await trap("ssh")],
    ["core.untrackedCache", "true"],
    ["core.splitIndex", "true"],
  ];
  for (const [key, value] of config) await userGit(cwd, "config", key, value);
  const odd = await trap("oddfilter");
  await fill(cwd, { ".git/more": `[filter "a=b"]\n\tprocess = ${odd}\n\tclean = ${odd}\n` });
  await userGit(cwd, "config", "include.path", "more");
  const hooks = ["post-checkout", "post-index-change", "pre-commit", "reference-transaction"];
  for (const hook of [...hooks, "commit-msg", "post-commit", "pre-auto-gc"]) {
    await rename(await trap(hook), join(traces, hook));
  }
  const ran = async () => (await readdir(traces)).filter((name) => name.endsWith(".ran")).sort();
  return { cwd, ran };
}

describe("a repository with programs in its configuration", () => {
  test("runs none of them", async () => {
    const { cwd, ran } = await hostileRepository();
    const workspace = gitWorkspace(cwd);
    const first = await workspace.tree();
    await fill(cwd, { "a.txt": "edited", "b.dat": "edited", "c.txt": "new" });
    const second = await workspace.tree();
    expect(await workspace.changes(first, second)).toEqual([
      { path: "a.txt", kind: "modified" },
      { path: "b.dat", kind: "modified" },
      { path: "c.txt", kind: "added" },
    ]);
    expect(await ran()).toEqual([]);
  });

  test("runs none of them when it keeps, compares, restores and lends", async () => {
    const { cwd, ran } = await hostileRepository();
    const workspace = gitWorkspace(cwd);
    const first = await workspace.checkpoint("loop", 0, "Start");
    await fill(cwd, { "a.txt": "edited", "b.dat": "edited", "c.txt": "new" });
    const second = await workspace.checkpoint("loop", 1, "DEVELOP");
    const { patch } = await workspace.diff(first.commit, second.commit);
    expect(patch).toContain("-a\n\\ No newline at end of file\n+edited");
    await workspace.read(second.commit, ["a.txt"]);
    await workspace.restore(first.commit);
    expect(await workspace.tree()).toBe(first.tree);
    await workspace.checkout(second.commit, join(await place(), "copy"));
    await workspace.adopt("two", 1, second.commit);
    await workspace.forget("two");

    const { path } = await workspace.addWorktree("one", first.commit);
    await fill(path, { "plain.md": "new" });
    expect(await workspace.commitWorktree("one", "Add a file")).not.toBeNull();
    await fill(path, { "a.txt": "edited" });
    expect(await workspace.worktrees()).toMatchObject([{ dirty: true }]);
    // What only a program could turn into a commit is left to the user.
    await expect(workspace.commitWorktree("one", "Edit")).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("evil"),
    });
    await workspace.removeWorktree("one", { force: true });
    expect(await ran()).toEqual([]);
  });

  test("would run them for anybody else", async () => {
    const { cwd, ran } = await hostileRepository();
    await fill(cwd, { "a.txt": "edited", "b.dat": "edited" });
    await userGit(cwd, "add", "a.txt");
    await userGit(cwd, "diff", "HEAD", "--", "a.txt");
    await userGit(cwd, "add", "b.dat").catch(() => "this filter does not answer");
    expect(await ran()).toEqual(
      expect.arrayContaining([
        "clean.ran",
        "command.ran",
        "fsmonitor.ran",
        "oddfilter.ran",
        "post-index-change.ran",
      ]),
    );
  });
});

test("the caller's own git variables do not lead elsewhere", async () => {
  const cwd = await place({ "a.txt": "a" });
  const other = await place({ "b.txt": "b" });
  await makeRepository(cwd);
  await makeRepository(other);
  const expected = await gitWorkspace(cwd).tree();
  for (const [name, value] of Object.entries({
    GIT_DIR: join(other, ".git"),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, "index"),
    GIT_OBJECT_DIRECTORY: join(other, "objects"),
    GIT_CONFIG_PARAMETERS: "'core.bare=true'",
    GIT_EXTERNAL_DIFF: "false",
    GIT_TRACE: join(other, "trace"),
  })) {
    vi.stubEnv(name, value);
  }
  expect(await gitWorkspace(cwd).tree()).toBe(expected);
  expect((await readdir(other)).sort()).toEqual([".git", ".gitignore", "b.txt"]);
});

describe.each([
  ["git", gitWorkspace],
  ["files", filesWorkspace],
])("%s", (_, open) => {
  test.each([".workflow", ".workflow/.loop"])("refuses a %s that is a link", async (link) => {
    const cwd = await place({ "a.txt": "a" });
    const elsewhere = await place();
    await makeRepository(cwd);
    if (link.includes("/")) await fill(cwd, { ".workflow/x": "" });
    await symlink(elsewhere, join(cwd, link));
    await expect(open(cwd).tree()).rejects.toMatchObject({
      code: "unsafe_path",
      message: expect.stringContaining(link),
    });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  test("refuses a .workflow that is a file", async () => {
    const cwd = await place({ ".workflow": "a file" });
    await makeRepository(cwd);
    await expect(open(cwd).tree()).rejects.toMatchObject({ code: "unsafe_path" });
  });
});
