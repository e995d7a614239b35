import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

/** A text that somebody wrote into git's store under the name of another one. */
async function forge(cwd: string, kind: "blob" | "tree", name: string, content: string | Buffer) {
  const bytes = Buffer.from(content);
  const folder = join(cwd, ".git/objects", name.slice(0, 2));
  await mkdir(folder, { recursive: true });
  const file = join(folder, name.slice(2));
  await rm(file, { force: true });
  await writeFile(
    file,
    deflateSync(Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes])),
  );
}

function nameOf(kind: string, content: string | Buffer): string {
  const bytes = Buffer.from(content);
  return createHash("sha1").update(`${kind} ${bytes.length}\0`).update(bytes).digest("hex");
}

async function roomOf(cwd: string, commit: string): Promise<string> {
  const folder = join(await place(), "room");
  return (await gitWorkspace(cwd).checkout(commit, folder)).cwd;
}

describe("an object that lies under the name of another one", () => {
  test("is written over by a checkpoint of what lies in the folder", async () => {
    const cwd = await repositoryWith({ "a.txt": "start" });
    const workspace = gitWorkspace(cwd);
    const { commit: after } = await workspace.checkpoint("loop", 0, "Start");
    const folder = Buffer.concat([
      Buffer.from("100644 b.txt\0"),
      Buffer.from(nameOf("blob", "honest"), "hex"),
    ]);
    const real = Buffer.concat([
      Buffer.from("100644 b.txt\0"),
      Buffer.from(nameOf("blob", "cheat"), "hex"),
    ]);
    await forge(cwd, "blob", nameOf("blob", "cheat"), "honest");
    await forge(cwd, "tree", nameOf("tree", real), folder);
    await fill(cwd, { "sub/b.txt": "cheat" });
    const { commit } = await workspace.checkpoint("loop", 1, "Cheat", { after });
    const room = await roomOf(cwd, commit);
    expect(await readFile(join(room, "sub/b.txt"), "utf8")).toBe("cheat");
  });

  test.each([
    ["a file", "blob", "start"],
    ["a large file", "blob", "x".repeat(3_000_000)],
  ] as const)("is refused when it was %s of a checkpoint", async (_, kind, text) => {
    const cwd = await repositoryWith({ "a.txt": text, "b.txt": "b" });
    const { commit } = await gitWorkspace(cwd).checkpoint("loop", 0, "Start");
    await forge(cwd, kind, nameOf("blob", text), "forged");
    const refusal = { code: "workspace_unavailable", message: /holds another content/ };
    await expect(roomOf(cwd, commit)).rejects.toMatchObject(refusal);
    await expect(gitWorkspace(cwd).read(commit, ["a.txt"])).rejects.toMatchObject(refusal);
    await fill(cwd, { "a.txt": "other" });
    await expect(gitWorkspace(cwd).restore(commit)).rejects.toMatchObject(refusal);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("other");
    const { commit: next } = await gitWorkspace(cwd).checkpoint("loop", 1, "Next");
    await expect(gitWorkspace(cwd).diff(commit, next)).rejects.toMatchObject(refusal);
  });

  test.each([
    ["..", "unsafe_path"],
    [".git", "unsafe_path"],
    ["../../out", "unsafe_path"],
  ])("makes no room that writes to %s", async (name, code) => {
    const cwd = await repositoryWith({ "a.txt": "a" });
    const blob = nameOf("blob", "a");
    const tree = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
    await forge(cwd, "tree", nameOf("tree", tree), tree);
    const commit = (await userGit(cwd, "commit-tree", "-m", "evil", nameOf("tree", tree))).trim();
    await expect(roomOf(cwd, commit)).rejects.toMatchObject({ code });
  });
});

test("an index that calls a changed file the same hides nothing", async () => {
  const cwd = await repositoryWith({ "a.txt": "honest" });
  const before = await gitWorkspace(cwd).tree();
  const moment = 1_000_000_000;
  await fill(cwd, { "a.txt": "a cheat" });
  await utimes(join(cwd, "a.txt"), moment, moment);
  await userGit(cwd, "add", "a.txt");
  const index = await readFile(join(cwd, ".git/index"));
  const [cheat, honest] = [nameOf("blob", "a cheat"), nameOf("blob", "honest")];
  const at = index.indexOf(Buffer.from(cheat, "hex"));
  Buffer.from(honest, "hex").copy(index, at);
  const body = index.subarray(0, index.length - 20);
  await writeFile(
    join(cwd, ".git/index"),
    Buffer.concat([body, createHash("sha1").update(body).digest()]),
  );
  expect(await userGit(cwd, "diff", "--name-only")).toBe("");
  const now = await gitWorkspace(cwd).tree();
  expect(now).not.toBe(before);
  const { commit } = await gitWorkspace(cwd).checkpoint("loop", 0, "Start");
  expect(await readFile(join(await roomOf(cwd, commit), "a.txt"), "utf8")).toBe("a cheat");
});

test.each([
  ["ident", "$Id$", "$Id: code $"],
  ["working-tree-encoding=UTF-16LE", "o\0n\0e\0", "t\0w\0o\0"],
  ["-diff", "one\n", "two\n"],
])("attributes hide nothing: %s", async (attribute, one, two) => {
  const cwd = await repositoryWith({ ".gitattributes": `*.x ${attribute}\n`, "a.x": one });
  const workspace = gitWorkspace(cwd);
  const { commit: from, tree } = await workspace.checkpoint("loop", 0, "Start");
  await fill(cwd, { "a.x": two });
  expect(await workspace.changes(tree, await workspace.tree())).toEqual([
    { path: "a.x", kind: "modified" },
  ]);
  const { commit: to } = await workspace.checkpoint("loop", 1, "Next");
  const { files, patch } = await workspace.diff(from, to);
  expect(files).toMatchObject([{ path: "a.x", kind: "modified" }]);
  if (attribute === "-diff") expect(patch).toContain("+two");
});

test("a driver that comes into the configuration between two looks is not run", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  await workspace.tree();
  await userGit(cwd, "config", "filter.evil.clean", `touch ${join(cwd, "ran")}; cat`);
  await userGit(cwd, "config", "log.showSignature", "true");
  await userGit(cwd, "config", "gpg.program", `touch ${join(cwd, "ran")}`);
  await fill(cwd, { ".gitattributes": "* filter=evil\n", "a.txt": "b", "b.txt": "b" });
  const { tree } = await workspace.checkpoint("loop", 0, "Start");
  await workspace.commitOf(tree);
  expect(await workspace.tree()).toBe(tree);
});

test("a tracked folder that became an ignored link is not looked through", async () => {
  const cwd = await repositoryWith({ "sub/a.txt": "a", "b.txt": "b" });
  const elsewhere = await place({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  const { tree } = await workspace.checkpoint("loop", 0, "Start");
  await rm(join(cwd, "sub"), { recursive: true });
  await fill(cwd, { ".gitignore": "sub\n" });
  await symlink(elsewhere, join(cwd, "sub"));
  const now = await workspace.tree();
  expect(await workspace.changes(tree, now)).toContainEqual({ path: "sub/a.txt", kind: "deleted" });
});

test("what was kept and is gone by now is kept again", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  await fill(cwd, { "a.txt": "in no commit\r\n", "new/b.txt": "nor this" });
  await workspace.checkpoint("loop", 0, "Start");
  await workspace.forget("loop");
  await userGit(cwd, "gc", "-q", "--prune=now");
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  const read = await workspace.read(commit, ["a.txt"]);
  expect(Buffer.from(read.get("a.txt") ?? []).toString()).toBe("in no commit\r\n");
  await userGit(cwd, "fsck", "--strict", "--connectivity-only");
});

test.each(["sub/.gitignore", "other/deep/.gitignore"])(
  "a pipe named %s is named, and not waited for",
  { tags: ["slow"] },
  async (name) => {
    const files = { "sub/b.txt": "b", "other/deep/c.txt": "c" };
    const cwd = await repositoryWith(files);
    await promisify(execFile)("mkfifo", [join(cwd, name)]);
    await expect(gitWorkspace(cwd).tree()).rejects.toMatchObject({
      code: "workspace_unavailable",
      message: expect.stringContaining(name),
    });
  },
);

test("a folder with tracked files that is a link by now can be looked at", async () => {
  const cwd = await repositoryWith({ "a.txt": "a", "d/a.txt": "a" });
  await rm(join(cwd, "d"), { recursive: true });
  await symlink(".", join(cwd, "d"));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * 60 * 1000 });
  onTestFinished(() => void vi.useRealTimers());
  const linked = await gitWorkspace(cwd).tree();
  await rm(join(cwd, "d"));
  expect(await gitWorkspace(cwd).tree()).not.toBe(linked);
});
