/** @module-tag slow */
import { chmod, mkdir, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { busyRepository } from "./busy.ts";
import { fill, place } from "./place.ts";
import { makeRepository, repositoryWith, userGit } from "./repository.ts";
import { filesIn, userState } from "./states.ts";

interface Shape {
  top: string;
  cwd: string;
  /** Where git keeps what it knows. */
  gitFolder: string;
}

const at = (top: string, cwd = top): Shape => ({ top, cwd, gitFolder: join(top, ".git") });

/** Kinds of repositories, each with files that a checkpoint has to keep. */
const SHAPES: Record<string, () => Promise<Shape>> = {
  "in the middle of a merge": async () => at(await busyRepository()),
  "without a commit": async () => {
    const top = await place({ "a.txt": "a", "sub/b.txt": "b" });
    await userGit(top, "init", "-q");
    await userGit(top, "add", "a.txt");
    return at(top);
  },
  "seen from a subfolder": async () => {
    const top = await repositoryWith({ "a/b/c.txt": "c", "d.txt": "d" });
    return at(top, join(top, "a/b"));
  },
  "in a linked worktree": async () => {
    const main = await repositoryWith({ "a.txt": "a", "sub/b.txt": "b" });
    const top = join(await realpath(await place()), "tree");
    await userGit(main, "worktree", "add", "-q", top);
    return { top, cwd: top, gitFolder: join(main, ".git") };
  },
  "of SHA-256": async () => {
    const top = await place({ "a.txt": "a", "sub/b.txt": "b" });
    await userGit(top, "init", "-q", "--object-format=sha256");
    await userGit(top, "add", "-A");
    await userGit(top, "commit", "-q", "-m", "first");
    return at(top);
  },
  "with a sparse checkout": async () => {
    const top = await repositoryWith({ "in/a.txt": "a", "out/b.txt": "b", "out/c.txt": "c" });
    await userGit(top, "sparse-checkout", "set", "in");
    await fill(top, { "out/c.txt": "there although it is left out" });
    return at(top);
  },
  "with files that git passes over": async () => {
    const top = await repositoryWith({ "a.txt": "a", "b.txt": "b" });
    await userGit(top, "update-index", "--assume-unchanged", "a.txt");
    await userGit(top, "update-index", "--skip-worktree", "b.txt");
    await fill(top, { "a.txt": "edited", "b.txt": "edited" });
    return at(top);
  },
  "with converted line ends": async () => {
    const top = await repositoryWith({
      ".gitattributes":
        "* text=auto\n*.bat eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16LE\n",
      "unix.txt": "one\ntwo\n",
      "windows.txt": "one\r\ntwo\r\n",
      "mixed.txt": "one\r\ntwo\n",
      "lone.txt": "one\rtwo",
      "wrong.bat": "one\ntwo\n",
      "x.id": "$Id$ $Id: something $\n",
      "y.u16": "o\0n\0e\0\r\0\n\0",
    });
    await userGit(top, "config", "core.autocrlf", "true");
    await fill(top, { "later.txt": "one\r\ntwo\r\n", "unix.txt": "now\r\nwindows\r\n" });
    return at(top);
  },
  "with names of any kind": async () => {
    const top = await repositoryWith({
      'quo"te': "1",
      "back\\slash": "2",
      "two\nlines": "3",
      " space ": "4",
      "grüße/日本語": "5",
      "-rf": "6",
    });
    await writeFile(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0x2f - 1])]), "7");
    await fill(top, { ":(top)": "8", "tab\tbed": "9" });
    return at(top);
  },
  "with links, programs and empty files": async () => {
    const top = await repositoryWith({ "run.sh": "true", empty: "", "sub/x": "x" });
    await chmod(join(top, "run.sh"), 0o755);
    await symlink("run.sh", join(top, "link"));
    await symlink("sub", join(top, "to-folder"));
    await symlink("/nowhere/at all", join(top, "broken"));
    return at(top);
  },
};

test.each(Object.entries(SHAPES))(
  "a repository %s is kept and given back, and stays as it is",
  async (_, make) => {
    const { top, cwd, gitFolder } = await make();
    const ours = /(^|\/)\.(git|workflow)$/;
    const files = await filesIn(top, ours);
    const state = await userState(gitFolder);
    const workspace = gitWorkspace(cwd);
    const { commit, tree, skipped } = await workspace.checkpoint("loop", 0, "Start");
    expect(tree).toBe(await workspace.tree());
    expect(skipped).toEqual([]);
    expect(await filesIn(top, ours)).toEqual(files);

    for (const name of await readdir(top, { encoding: "buffer" })) {
      const kept = [".git", ".workflow", "node_modules", "a"].includes(name.toString());
      const path = Buffer.concat([Buffer.from(`${top}/`), name]);
      if (!kept) await rm(path, { recursive: true, force: true });
    }
    await fill(top, {
      "other/new.txt": "new",
      "run.sh/was/a/file": "",
      link: "",
      "a/b/c.txt": "2",
    }).catch(() => "not where a file is in the way");
    await workspace.restore(commit);
    expect(await filesIn(top, ours)).toEqual(files);
    expect(await workspace.tree()).toBe(tree);
    expect(await workspace.restore(commit)).toEqual([]);
    expect(await userState(gitFolder)).toEqual(state);
    await userGit(top, "fsck", "--strict");
  },
);

test("what a sparse checkout leaves out stays out, whatever HEAD says by now", async () => {
  const top = await repositoryWith({ "in/a.txt": "a", "out/b.txt": "b" });
  await userGit(top, "sparse-checkout", "set", "in");
  const workspace = gitWorkspace(top);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  await userGit(top, "sparse-checkout", "disable");
  await fill(top, { "out/b.txt": "edited", "in/a.txt": "edited" });
  await userGit(top, "commit", "-q", "-a", "-m", "elsewhere");
  await userGit(top, "sparse-checkout", "set", "in");
  expect(await workspace.restore(commit)).toEqual([{ path: "in/a.txt", kind: "modified" }]);
  expect(await readdir(top)).not.toContain("out");
});

test("a submodule stays at its commit, and nobody goes into it", async () => {
  const inner = await repositoryWith({ "i.txt": "i" });
  const top = await repositoryWith({ "a.txt": "a" });
  await userGit(top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sub");
  await userGit(top, "commit", "-q", "-m", "submodule");
  const nested = join(top, "nested");
  await mkdir(nested);
  await makeRepository(nested);
  const workspace = gitWorkspace(top);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  expect(await userGit(top, "ls-tree", commit, "sub", "nested")).toMatch(/^160000.*\n160000.*\n$/);
  await fill(top, { "sub/i.txt": "edited", "nested/more.txt": "new", "a.txt": "edited" });
  await userGit(join(top, "sub"), "commit", "-q", "-a", "-m", "by the agent");
  expect(await workspace.restore(commit)).toEqual([{ path: "a.txt", kind: "modified" }]);
  expect(await filesIn(join(top, "sub"), /^\.git/)).toEqual({ "i.txt": "file edited" });
  await rm(join(top, "sub"), { recursive: true });
  await workspace.restore(commit);
  expect(await readdir(join(top, "sub"))).toEqual([]);
  expect(await readdir(nested)).toContain("more.txt");
});
