import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { pointerText } from "../src/measure/lfs.ts";
import { fill, place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

const ATTRIBUTES = "*.psd filter=lfs diff=lfs merge=lfs -text\n";
const CONTENT = "layers ".repeat(1000);

const pointerTo = (content: string) =>
  pointerText({ oid: createHash("sha256").update(content).digest("hex"), size: content.length });

/**
 * A repository as git-lfs leaves it, without git-lfs: the pointer in the commit, the content in the folder and in the
 * store of git-lfs. Stands in for it, so that the tests run where it is not installed.
 */
async function lfsRepository(): Promise<string> {
  const cwd = await repositoryWith({ ".gitattributes": ATTRIBUTES, "a.psd": pointerTo(CONTENT) });
  await storeInLfs(cwd, CONTENT);
  const clean = `sh -c 'cat > /dev/null; cat ${join(cwd, ".git/pointer")}'`;
  await fill(cwd, { ".git/pointer": pointerTo(CONTENT), "a.psd": CONTENT });
  await userGit(cwd, "-c", `filter.lfs.clean=${clean}`, "add", "a.psd");
  expect(await userGit(cwd, "diff", "--cached", "--name-only")).toBe("");
  await userGit(cwd, "config", "filter.lfs.clean", "git-lfs clean -- %f");
  await userGit(cwd, "config", "filter.lfs.required", "true");
  return cwd;
}

async function storeInLfs(cwd: string, content: string): Promise<void> {
  const oid = createHash("sha256").update(content).digest("hex");
  const file = join(cwd, ".git/lfs/objects", oid.slice(0, 2), oid.slice(2, 4), oid);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

const isStored = (cwd: string, content: string) =>
  userGit(
    cwd,
    "cat-file",
    "-e",
    createHash("sha1").update(`blob ${content.length}\0${content}`).digest("hex"),
  ).then(
    () => true,
    () => false,
  );

test("content that git-lfs has is given back, and not stored twice", async () => {
  const cwd = await lfsRepository();
  const workspace = gitWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  expect(await isStored(cwd, CONTENT)).toBe(false);

  const changed = "other layers";
  await fill(cwd, { "a.psd": changed });
  const edited = await workspace.checkpoint("loop", 1, "DEVELOP");
  expect(await isStored(cwd, changed)).toBe(true);
  await workspace.restore(commit);
  expect(await readFile(join(cwd, "a.psd"), "utf8")).toBe(CONTENT);
  expect(await workspace.restore(commit)).toEqual([]);
  await workspace.restore(edited.commit);
  expect(await readFile(join(cwd, "a.psd"), "utf8")).toBe(changed);
  await rm(join(cwd, "a.psd"));
  await workspace.restore(commit);
  expect(await readFile(join(cwd, "a.psd"), "utf8")).toBe(CONTENT);

  const { cwd: copy } = await workspace.checkout(commit, join(await place(), "copy"));
  expect(await readFile(join(copy, "a.psd"), "utf8")).toBe(CONTENT);
});

test("a pointer that lies in the folder is given back as a pointer", async () => {
  const cwd = await lfsRepository();
  const workspace = gitWorkspace(cwd);
  const smudged = await workspace.checkpoint("loop", 0, "Start");
  await fill(cwd, { "a.psd": pointerTo(CONTENT) });
  const pointer = await workspace.checkpoint("loop", 1, "Start");
  await workspace.restore(smudged.commit);
  expect(await readFile(join(cwd, "a.psd"), "utf8")).toBe(CONTENT);
  await workspace.restore(pointer.commit);
  expect(await readFile(join(cwd, "a.psd"), "utf8")).toBe(pointerTo(CONTENT));
});

test("content that git-lfs does not have is stored as it is; what it lost becomes its pointer", async () => {
  const cwd = await lfsRepository();
  const workspace = gitWorkspace(cwd);
  const kept = await workspace.checkpoint("loop", 0, "Start");
  await rm(join(cwd, ".git/lfs"), { recursive: true });
  const stored = await workspace.checkpoint("loop", 1, "Start");
  await rm(join(cwd, "a.psd"));
  await workspace.restore(stored.commit);
  expect(await readFile(join(cwd, "a.psd"), "utf8")).toBe(CONTENT);
  await rm(join(cwd, "a.psd"));
  await workspace.restore(kept.commit);
  expect(await readFile(join(cwd, "a.psd"), "utf8")).toBe(pointerTo(CONTENT));
});

test("a worktree has the content, and its commit the pointer", async () => {
  const cwd = join(await place(), "project");
  await mkdir(cwd);
  const made = await lfsRepository();
  await userGit(dirname(cwd), "clone", "-q", made, "project");
  await storeInLfs(cwd, CONTENT);
  await userGit(cwd, "config", "filter.lfs.clean", "git-lfs clean -- %f");
  const workspace = gitWorkspace(cwd);
  const { path } = await workspace.addWorktree("one", null);
  expect(await readFile(join(path, "a.psd"), "utf8")).toBe(CONTENT);
  expect(await workspace.worktrees()).toMatchObject([{ dirty: false }]);
  expect(await workspace.commitWorktree("one", "nothing")).toBeNull();

  await fill(path, { "b.psd": "new layers" });
  const commit = (await workspace.commitWorktree("one", "Add a file")) ?? "";
  expect(await userGit(cwd, "show", `${commit}:b.psd`)).toBe(pointerTo("new layers"));
  expect(await userGit(cwd, "show", `${commit}:a.psd`)).toBe(pointerTo(CONTENT));
  const oid = createHash("sha256").update("new layers").digest("hex");
  const stored = join(cwd, ".git/lfs/objects", oid.slice(0, 2), oid.slice(2, 4), oid);
  expect(await readFile(stored, "utf8")).toBe("new layers");
});
