/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ObjectReader } from "../src/git/object-reader.ts";
import { gitWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { makeRepository, repositoryWith, userGit } from "./repository.ts";
import { filesIn } from "./states.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const OURS = /^\.(git|workflow)$/;

async function roomOf(cwd: string, commit: string): Promise<string> {
  return (await gitWorkspace(cwd).checkout(commit, join(await place(), "room"))).cwd;
}

/** What the workspace says that lies there, beside what does. */
async function keptAndThere(cwd: string) {
  const { commit } = await gitWorkspace(cwd).checkpoint("loop", 0, "Start");
  const room = await roomOf(cwd, commit);
  return [await filesIn(room, OURS), await filesIn(cwd, OURS)];
}

describe("nothing is written, removed or run outside of the project", () => {
  test("for a submodule whose path is a link by now", async () => {
    const cwd = await repositoryWith({ "a.txt": "a" });
    const outside = await repositoryWith({ "work.txt": "committed" });
    await fill(outside, { "work.txt": "hours of work" });
    const head = (await userGit(outside, "rev-parse", "HEAD")).trim();
    await userGit(cwd, "update-index", "--add", "--cacheinfo", `160000,${head},sub`);
    const { commit } = await gitWorkspace(cwd).checkpoint("loop", 0, "Start");
    await symlink(outside, join(cwd, "sub"));
    await roomOf(cwd, commit);
    expect(await readFile(join(outside, "work.txt"), "utf8")).toBe("hours of work");
  });

  test("for a git that lies in the project, or where packages put their programs", async () => {
    const cwd = await repositoryWith({ "a.txt": "a" });
    const [own, other] = [join(cwd, "node_modules/.bin"), join(await place(), "node_modules/.bin")];
    for (const folder of [own, other]) {
      await mkdir(folder, { recursive: true });
      const script = `#!/bin/sh\ntouch "$(dirname "$0")/ran"\nexit 1\n`;
      await writeFile(join(folder, "git"), script, { mode: 0o755 });
    }
    vi.stubEnv("PATH", `${own}:${other}:${process.env.PATH}`);
    await gitWorkspace(cwd).checkpoint("loop", 0, "Start");
    for (const folder of [own, other]) expect(await readdir(folder)).toEqual(["git"]);
  });

  test("by a folder of objects that is a link", async () => {
    const cwd = await repositoryWith({ "a.txt": "a" });
    const outside = await place({ "thesis.doc": "old" });
    await utimes(join(outside, "thesis.doc"), 1, 1);
    const objects = join(cwd, ".workflow/.loop/.objects");
    await gitWorkspace(cwd).tree();
    await mkdir(join(objects, "17"), { recursive: true });
    for (let n = 0; n < 60; n += 1) await writeFile(join(objects, "17", `${n}`), "");
    for (let n = 0; n < 256; n += 1) {
      const name = n.toString(16).padStart(2, "0");
      if (name !== "17") await rm(join(objects, name), { recursive: true, force: true });
      if (name !== "17") await symlink(outside, join(objects, name));
    }
    await fill(cwd, { "a.txt": "b", "c.txt": "c" });
    await gitWorkspace(cwd)
      .checkpoint("loop", 0, "Start")
      .catch(() => undefined);
    expect(await readdir(outside)).toEqual(["thesis.doc"]);
  });

  test("by a filter of a configuration that counts in a worktree alone", async () => {
    const top = await place();
    const cwd = join(top, "project");
    await fill(cwd, { "a.txt": "a" });
    await makeRepository(cwd);
    const evil = `[filter "evil"]\n\tsmudge = touch ${top}/ran && cat\n\tclean = touch ${top}/ran && cat\n`;
    await writeFile(join(cwd, ".git/evil"), evil);
    await userGit(
      cwd,
      "config",
      "includeIf.gitdir:**/.git/worktrees/**.path",
      join(cwd, ".git/evil"),
    );
    await fill(cwd, { ".git/info/attributes": "* filter=evil\n" });
    const workspace = gitWorkspace(cwd);
    const { path } = await workspace.addWorktree("one", null);
    expect(await readFile(join(path, "a.txt"), "utf8")).toBe("a");
    await fill(path, { "b.txt": "b" });
    await workspace.commitWorktree("one", "Work").catch(() => undefined);
    await workspace.worktrees();
    expect(await readdir(top)).not.toContain("ran");
  });

  test("by a repository that names another folder as its working tree", async () => {
    const top = await repositoryWith({ "diary.txt": "mine" });
    const cwd = join(top, "project");
    await fill(cwd, { "a.txt": "a" });
    await makeRepository(cwd);
    const { commit } = await gitWorkspace(cwd).checkpoint("loop", 0, "Start");
    await userGit(cwd, "config", "core.worktree", top);
    await expect(gitWorkspace(cwd).restore(commit)).rejects.toMatchObject({ code: "unsafe_path" });
    expect(await readFile(join(top, "diary.txt"), "utf8")).toBe("mine");
  });

  test("by what a rewind sets aside", async () => {
    const cwd = await repositoryWith({ "a.txt": "a" });
    const outside = await place();
    const workspace = gitWorkspace(cwd);
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    await fill(cwd, { ".gitignore": "b.txt\n", "b.txt": "b", ".workflow/.loop/.set-aside/x": "" });
    const now = Date.now();
    for (let n = 0; n < 3000; n += 1) {
      await symlink(outside, join(cwd, ".workflow/.loop/.set-aside", `${now + n}`));
    }
    await workspace.restore(commit);
    expect(await readdir(outside)).toEqual([]);
  });
});

describe("what lies in the folder is what is kept", () => {
  test("whatever git-lfs has in its store", async () => {
    const cwd = await repositoryWith({ ".gitattributes": "*.js filter=lfs\n", "a.js": "good=0" });
    const oid = createHash("sha256").update("good=0").digest("hex");
    const store = `.git/lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}`;
    await fill(cwd, { [`${store}/${oid}`]: "evil=1" });
    const [kept, there] = await keptAndThere(cwd);
    expect(kept).toEqual(there);
    expect(kept?.["a.js"]).toBe("file good=0");
  });

  test("whatever the index marks as left out", async () => {
    const cwd = await repositoryWith({ "a.js": "old", "b.js": "b" });
    const blob = (await userGit(cwd, "hash-object", "-w", "a.js")).trim();
    await userGit(cwd, "update-index", "--skip-worktree", "a.js", "b.js");
    await userGit(cwd, "update-index", "--add", "--cacheinfo", `100644,${blob},new.js`);
    await userGit(cwd, "update-index", "--skip-worktree", "new.js");
    await fill(cwd, { "a.js": "new", ".git/info/exclude": "a.js\n" });
    const [kept, there] = await keptAndThere(cwd);
    expect(kept).toEqual(there);
  });

  test("whatever the index calls a submodule", async () => {
    const cwd = await repositoryWith({ "src/a.js": "a", "b.js": "b" });
    const workspace = gitWorkspace(cwd);
    const before = await workspace.tree();
    const head = (await userGit(cwd, "rev-parse", "HEAD")).trim();
    await userGit(cwd, "rm", "-q", "-r", "--cached", "src");
    await userGit(cwd, "update-index", "--add", "--cacheinfo", `160000,${head},src`);
    expect(await workspace.tree()).toBe(before);
    await fill(cwd, { "src/a.js": "edited", "src/new.js": "new" });
    const [kept, there] = await keptAndThere(cwd);
    expect(kept).toEqual(there);
    await userGit(cwd, "reset", "-q", "--hard");
  });

  test("whatever the index has in the place of a folder", async () => {
    const cwd = await repositoryWith({ "src/a.js": "a", "src/b.js": "b" });
    const blob = (await userGit(cwd, "hash-object", "-w", "src/a.js")).trim();
    const input = `100644 ${blob} 1\tsrc\n`;
    execFileSync("git", ["update-index", "--index-info"], { cwd, input });
    const old = new Date(Date.now() - 60_000);
    for (const file of ["a.js", "b.js"]) await utimes(join(cwd, "src", file), old, old);
    const [kept, there] = await keptAndThere(cwd);
    expect(kept).toEqual(there);
  });

  test("whatever the configuration says about the file system", async () => {
    const cwd = await repositoryWith({ "src/a.js": "a" });
    await userGit(cwd, "config", "core.ignoreCase", "true");
    await userGit(cwd, "config", "core.fileMode", "false");
    await userGit(cwd, "update-index", "--chmod=+x", "src/a.js");
    await fill(cwd, { "src/A.js": "A" });
    await chmod(join(cwd, "src/A.js"), 0o755);
    const [kept, there] = await keptAndThere(cwd);
    expect(kept).toEqual(there);
  });

  test("also where a file is written in the moment in which git reads it", async () => {
    const cwd = await repositoryWith({ "a.txt": "good" });
    const [file, bin] = [join(cwd, "a.txt"), await place()];
    const write = (text: string) =>
      `case "$*" in *--info-only*) printf ${text} >'${file}' && touch -d @1000000000 '${file}' ;; esac`;
    const real = `PATH='${process.env.PATH}' git "$@"`;
    // Both in one second, as git tells times apart.
    const script = ["#!/bin/sh", write("good"), real, "code=$?", write("evil"), "exit $code"];
    await writeFile(join(bin, "git"), `${script.join("\n")}\n`, { mode: 0o755 });
    await utimes(file, 1_000_000_000, 1_000_000_000);
    // So that the file counts as one that was written long ago.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    const workspace = gitWorkspace(cwd);
    await workspace.tree();
    vi.unstubAllEnvs();
    vi.useRealTimers();
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    expect(await readFile(join(await roomOf(cwd, commit), "a.txt"), "utf8")).toBe("evil");
  });

  test("with the modes that old tools wrote", async () => {
    const cwd = await repositoryWith({ "d/a.txt": "a" });
    const inner = (await userGit(cwd, "rev-parse", "HEAD:d")).trim();
    const tree = Buffer.concat([Buffer.from("040000 d\0"), Buffer.from(inner, "hex")]);
    await writeObject(cwd, "tree", tree);
    const name = objectName("tree", tree);
    const commit = (await userGit(cwd, "commit-tree", "-m", "old", name)).trim();
    expect(await gitWorkspace(cwd).paths(commit)).toEqual(["d/a.txt"]);
  });

  test("where a file lies that a sparse checkout leaves out, a rewind takes it back", async () => {
    const cwd = await repositoryWith({ "in/a.txt": "a", "out/b.txt": "b" });
    await userGit(cwd, "sparse-checkout", "set", "in");
    const workspace = gitWorkspace(cwd);
    const { commit, tree } = await workspace.checkpoint("loop", 0, "Start");
    await fill(cwd, { "out/b.txt": "edited" });
    await workspace.restore(commit);
    expect(await gitWorkspace(cwd).tree()).toBe(tree);
  });
});

function objectName(kind: string, content: Buffer): string {
  return createHash("sha1").update(`${kind} ${content.length}\0`).update(content).digest("hex");
}

async function writeObject(cwd: string, kind: string, content: Buffer, size = content.length) {
  const whole = Buffer.concat([Buffer.from(`${kind} ${size}\0`), content]);
  const name = createHash("sha1").update(whole).digest("hex");
  const folder = join(cwd, ".git/objects", name.slice(0, 2));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name.slice(2)), deflateSync(whole));
  return name;
}

test("a commit is one whose own tree it is, whatever the commit graph says", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  await userGit(cwd, "commit-graph", "write", "--reachable");
  const file = join(cwd, ".git/objects/info/commit-graph");
  const graph = await readFile(file);
  const own = (await userGit(cwd, "rev-parse", "HEAD^{tree}")).trim();
  await fill(cwd, { "a.txt": "never committed" });
  const workspace = gitWorkspace(cwd);
  const tree = await workspace.tree();
  Buffer.from(tree, "hex").copy(graph, graph.indexOf(Buffer.from(own, "hex")));
  const body = graph.subarray(0, graph.length - 20);
  await chmod(file, 0o644);
  await writeFile(file, Buffer.concat([body, createHash("sha1").update(body).digest()]));
  expect(await workspace.commitOf(tree)).toBeNull();
});

test("an object that is shorter than it says is not waited for", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const name = await writeObject(cwd, "blob", Buffer.alloc(50), 100);
  const reader = new ObjectReader({ top: cwd, hash: "sha1", patienceMs: 300 });
  await expect(reader.find(name, "blob")).rejects.toMatchObject({ code: "workspace_unavailable" });
  // The next one who asks gets an answer.
  const head = (await userGit(cwd, "rev-parse", "HEAD")).trim();
  expect(await reader.find(head, "commit")).not.toBeNull();
});

test.each(["HEAD", "refs/heads/main"])("a pipe in the place of .git/%s is named", async (ref) => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  await userGit(cwd, "branch", "-M", "main");
  const workspace = gitWorkspace(cwd);
  await workspace.tree();
  await rm(join(cwd, ".git", ref));
  execFileSync("mkfifo", [join(cwd, ".git", ref)]);
  await expect(workspace.checkpoint("loop", 0, "Start")).rejects.toMatchObject({
    code: "workspace_unavailable",
    message: expect.stringContaining(ref),
  });
});

test("our folder of objects may go away at any time", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  await fill(cwd, { "sub/b.txt": "b" });
  const old = new Date(Date.now() - 60_000);
  await utimes(join(cwd, "sub/b.txt"), old, old);
  await userGit(cwd, "add", "sub");
  const tree = await workspace.tree();
  await rm(join(cwd, ".workflow/.loop/.objects"), { recursive: true });
  expect(await workspace.tree()).toBe(tree);
});

test("a worktree that holds a repository of its own is not removed", async () => {
  const cwd = join(await place(), "project");
  await fill(cwd, { "a.txt": "a" });
  await makeRepository(cwd);
  const workspace = gitWorkspace(cwd);
  const { path } = await workspace.addWorktree("one", null);
  await fill(path, { "inner/b.txt": "b" });
  await makeRepository(join(path, "inner"));
  await workspace.commitWorktree("one", "Work");
  const removal = workspace.removeWorktree("one", { force: false });
  await expect(removal).rejects.toMatchObject({ code: "invalid_input" });
  expect((await lstat(join(path, "inner/.git"))).isDirectory()).toBe(true);
});

test("a project may lie in a folder whose name holds a control character", async () => {
  const cwd = join(await place(), "esc\u001b");
  await fill(cwd, { "a.txt": "a" });
  await makeRepository(cwd);
  const workspace = gitWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  expect(await workspace.paths(commit)).toContain("a.txt");
});

test("a file that is exchanged for a folder while a repository is moved is seen as what it is", async () => {
  const cwd = await repositoryWith({ "a/b.txt": "b", "c.txt": "c" });
  await rm(join(cwd, "a"), { recursive: true });
  await rename(join(cwd, "c.txt"), join(cwd, "a"));
  const [kept, there] = await keptAndThere(cwd);
  expect(kept).toEqual(there);
});
