import { access, chmod, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { fill } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";
import { filesIn } from "./states.ts";
import { suspendedBeforeUpdateRef } from "./suspended.ts";

const keep = (
  cwd: string,
  n: number,
  { id = "loop", after }: { id?: string; after?: string | undefined } = {},
) => gitWorkspace(cwd).checkpoint(id, n, `Action ${n}`, { after });

test("is a commit of ours on HEAD and the checkpoint before, behind a hidden ref without a reflog", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  await userGit(cwd, "config", "core.logAllRefUpdates", "always");
  await userGit(cwd, "config", "commit.gpgSign", "true");
  const first = (await userGit(cwd, "rev-parse", "HEAD")).trim();
  const zero = await keep(cwd, 0);
  await fill(cwd, { "b.txt": "b" });
  const one = await keep(cwd, 1, { after: zero.commit });
  await userGit(cwd, "switch", "-q", "-c", "by-the-agent");
  await userGit(cwd, "-c", "commit.gpgSign=false", "commit", "-q", "--allow-empty", "-m", "second");
  const second = (await userGit(cwd, "rev-parse", "HEAD")).trim();
  const two = await keep(cwd, 2, { after: one.commit });
  const again = await keep(cwd, 2, { after: one.commit });

  const format = "--format=%P|%an <%ae>|%cn <%ce>|%s";
  const us = "CCW Loop <ccw-loop@localhost>";
  const log = await userGit(
    cwd,
    "log",
    "--no-walk=unsorted",
    format,
    zero.commit,
    one.commit,
    two.commit,
  );
  expect(log.trim().split("\n")).toEqual([
    `${first}|${us}|${us}|Action 0`,
    `${first} ${zero.commit}|${us}|${us}|Action 1`,
    `${second} ${one.commit}|${us}|${us}|Action 2`,
  ]);
  const refs = await userGit(
    cwd,
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    "refs/ccw-loop",
  );
  expect(refs.trim().split("\n")).toEqual([
    `refs/ccw-loop/loop/0 ${zero.commit}`,
    `refs/ccw-loop/loop/1 ${one.commit}`,
    `refs/ccw-loop/loop/2 ${two.commit}`,
    `refs/ccw-loop/loop/2.1 ${again.commit}`,
  ]);
  await expect(access(join(cwd, ".git/logs/refs/ccw-loop"))).rejects.toThrow();
  expect(await userGit(cwd, "ls-tree", "-r", "--name-only", one.commit)).toBe(
    ".gitignore\na.txt\nb.txt\n",
  );
  expect(await userGit(cwd, "status", "--porcelain")).toBe("?? b.txt\n");
});

test("outlives a collection of garbage, and is gone after it when it was forgotten", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  await fill(cwd, { "a.txt": "edited", "sub/b.txt": "never added" });
  const files = await filesIn(cwd, /^\.(git|workflow)$/);
  const { commit } = await keep(cwd, 0);
  await keep(cwd, 0, { id: "another" });
  await rm(join(cwd, "sub"), { recursive: true });
  await userGit(cwd, "reset", "-q", "--hard");
  await userGit(cwd, "reflog", "expire", "--expire=now", "--all");
  const collect = () => userGit(cwd, "gc", "-q", "--prune=now");
  await collect();
  await gitWorkspace(cwd).restore(commit);
  expect(await filesIn(cwd, /^\.(git|workflow)$/)).toEqual(files);

  await gitWorkspace(cwd).forget("another");
  await keep(cwd, 1);
  await userGit(cwd, "pack-refs", "--all");
  await keep(cwd, 2);
  await gitWorkspace(cwd).forget("loop");
  expect(await userGit(cwd, "for-each-ref", "refs/ccw-loop")).toBe("");
  await collect();
  await expect(gitWorkspace(cwd).restore(commit)).rejects.toMatchObject({ code: "invalid_input" });
});

test("keeps its ref when an owner that was suspended keeps other files under the same number", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  await keep(cwd, 0);
  await fill(cwd, { "a.txt": "of the suspended owner" });
  const suspended = await suspendedBeforeUpdateRef("checkpointing.ts", cwd);
  await fill(cwd, { "a.txt": "of its successor" });
  const { commit } = await keep(cwd, 1);
  const other = await suspended.resume();
  expect(other).not.toBe(commit);
  expect((await userGit(cwd, "rev-parse", "refs/ccw-loop/loop/1")).trim()).toBe(commit);
  await userGit(cwd, "gc", "-q", "--prune=now");
  const read = await gitWorkspace(cwd).read(commit, ["a.txt"]);
  expect(String(Buffer.from(read.get("a.txt") ?? []))).toBe("of its successor");
  await gitWorkspace(cwd).forget("loop");
  expect(await userGit(cwd, "for-each-ref", "refs/ccw-loop")).toBe("");
});

test("of the same files is the same commit behind the same ref", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  await fill(cwd, { "b.txt": "b" });
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  const again = await workspace.checkpoint("loop", 1, "Nothing changed", { after: commit });
  expect(again.commit).toBe(commit);
  const refs = await userGit(cwd, "for-each-ref", "--format=%(refname)", "refs/ccw-loop");
  expect(refs.trim()).toBe("refs/ccw-loop/loop/0");
  await userGit(cwd, "commit", "-q", "--allow-empty", "-m", "The user's own");
  const onAnother = await workspace.checkpoint("loop", 2, "Another HEAD", { after: commit });
  expect(onAnother.commit).not.toBe(commit);
  expect(onAnother.tree).toBe(again.tree);
});

test("continues the checkpoint that it is told, whatever else has the number before", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  const head = (await userGit(cwd, "rev-parse", "HEAD")).trim();
  await keep(cwd, 1);
  await fill(cwd, { "a.txt": "after a rewind" });
  const { commit } = await keep(cwd, 1);
  await fill(cwd, { "later.txt": "later" });
  const next = await workspace.checkpoint("loop", 2, "goes on", { after: commit });
  expect(await userGit(cwd, "log", "-1", "--format=%P", next.commit)).toBe(`${head} ${commit}\n`);
});

test("of a fork keeps all that it continues when the other loop is forgotten, and moves no ref that the fork has", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  const commits: string[] = [];
  for (const n of [0, 1, 2]) {
    await fill(cwd, { "a.txt": `${n}` });
    commits.push((await keep(cwd, n, { after: commits.at(-1) })).commit);
  }
  const [start = "", last = "", later = ""] = commits;
  const mine = await keep(cwd, 1, { id: "fork" });
  await workspace.adopt("fork", 1, last);
  await workspace.forget("loop");
  await userGit(cwd, "gc", "-q", "--prune=now");
  const format = "--format=%(refname) %(objectname)";
  const refs = await userGit(cwd, "for-each-ref", format, "refs/ccw-loop");
  expect(refs.trim().split("\n")).toEqual([
    `refs/ccw-loop/fork/1 ${mine.commit}`,
    `refs/ccw-loop/fork/1.1 ${last}`,
  ]);
  const text = async (commit: string) =>
    Buffer.from((await workspace.read(commit, ["a.txt"])).get("a.txt") ?? []).toString();
  expect([await text(start), await text(last)]).toEqual(["0", "1"]);
  await expect(text(later)).rejects.toMatchObject({ code: "invalid_input" });
});

describe("what is left out", () => {
  test("are large files and secrets that nobody tracks; a rewind leaves them alone", async () => {
    const cwd = await repositoryWith({ ".env": "tracked", "large.bin": "" });
    await truncate(join(cwd, "large.bin"), 11 * 1024 * 1024);
    await userGit(cwd, "add", "large.bin");
    await fill(cwd, { ".env": "edited", "more.bin": "", "key.pem": "secret" });
    await truncate(join(cwd, "more.bin"), 11 * 1024 * 1024);
    const { commit, skipped } = await keep(cwd, 0);
    expect(skipped).toEqual([
      { path: "key.pem", reason: "may hold secrets" },
      { path: "more.bin", reason: "larger than 10 MB (11 MB)" },
    ]);
    const kept = await userGit(cwd, "ls-tree", "-r", "--name-only", commit);
    expect(kept).toBe(".env\n.gitignore\nlarge.bin\n");
    const held = await userGit(cwd, "cat-file", "--batch-all-objects", "--batch-check");
    expect(held).not.toContain(await userGit(cwd, "hash-object", "key.pem"));

    await fill(cwd, { "more.bin": "small by now", "key.pem": "changed", ".env": "again" });
    expect(await gitWorkspace(cwd).restore(commit)).toEqual([{ path: ".env", kind: "modified" }]);
    expect(await filesIn(cwd, /^(\.git|\.workflow|\.gitignore|large.bin)$/)).toEqual({
      ".env": "file edited",
      "key.pem": "file changed",
      "more.bin": "file small by now",
    });
  });

  test("are files that may not be read", async ({ skip }) => {
    if (process.getuid?.() === 0) skip("Root may read everything.");
    const cwd = await repositoryWith({ "a.txt": "a" });
    await writeFile(join(cwd, "closed.txt"), "closed", { mode: 0 });
    await chmod(join(cwd, "closed.txt"), 0);
    expect((await keep(cwd, 0)).skipped).toEqual([
      { path: "closed.txt", reason: "cannot be read" },
    ]);
  });
});

test("paths are as seen from the folder that was opened", async () => {
  const cwd = await repositoryWith({ "a/x.txt": "x", "b/y.txt": "y" });
  await fill(cwd, { ".env": "secret", "b/y.txt": "2" });
  const workspace = gitWorkspace(join(cwd, "a"));
  const { commit, skipped } = await workspace.checkpoint("loop", 0, "Start");
  expect(skipped).toEqual([{ path: "../.env", reason: "may hold secrets" }]);
  expect([...(await workspace.read(commit, ["x.txt", "../b/y.txt", "b/y.txt"])).keys()]).toEqual([
    "x.txt",
    "../b/y.txt",
  ]);
});

test("reads no more than the first megabyte of a file", async () => {
  const cwd = await repositoryWith({ "large.txt": "x".repeat(3_000_000), link: "" });
  const workspace = gitWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  expect((await workspace.read(commit, ["large.txt"])).get("large.txt")?.length).toBe(1024 * 1024);
});

test("is kept behind another name where a git that was killed left the first one locked", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const zero = await keep(cwd, 0);
  await fill(cwd, { "a.txt": "b", ".git/refs/ccw-loop/loop/1.lock": "" });
  const one = await keep(cwd, 1, { after: zero.commit });
  expect(await userGit(cwd, "rev-parse", "refs/ccw-loop/loop/1.1")).toBe(`${one.commit}\n`);
  expect((await gitWorkspace(cwd).diff(zero.commit ?? "", one.commit ?? "")).files).toHaveLength(1);
});
