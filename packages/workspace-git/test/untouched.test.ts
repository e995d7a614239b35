import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { busyRepository } from "./busy.ts";
import { everyByte, fill, place } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";

test("the user's repository is the same to the last byte, and so is what git says about it", async () => {
  const cwd = await busyRepository();
  const status = await userGit(cwd, "status", "--porcelain=v2", "--branch", "--show-stash");
  expect(status).toContain("u UU");
  const before = await everyByte(join(cwd, ".git"));

  const workspace = gitWorkspace(cwd);
  const first = await workspace.tree();
  await fill(cwd, { "src/d.txt": "edited", "another.txt": "new" });
  const second = await workspace.tree();
  await workspace.changes(first, second);
  await rm(join(cwd, "another.txt"));
  await writeFile(join(cwd, "src/d.txt"), "d");

  expect(await everyByte(join(cwd, ".git"))).toEqual(before);
  expect(await userGit(cwd, "status", "--porcelain=v2", "--branch", "--show-stash")).toBe(status);
});

test("the tree is the working tree, whatever is staged or in conflict", async () => {
  const cwd = await busyRepository();
  const workspace = gitWorkspace(cwd);
  const first = await workspace.tree();
  await userGit(cwd, "add", "-A");
  expect(await workspace.tree()).toBe(first);
  await userGit(cwd, "commit", "-q", "-m", "all of it");
  expect(await workspace.tree()).toBe(first);
  expect((await userGit(cwd, "rev-parse", "HEAD^{tree}")).trim()).toBe(first);
});

test("only trees are kept, in a folder that no status shows; contents are named, not copied", async () => {
  const cwd = await place();
  await makeRepository(cwd);
  await fill(cwd, { "src/a.txt": "never seen by this repository" });
  await userGit(cwd, "status");
  const tree = await gitWorkspace(cwd).tree();
  const kept = join(cwd, ".workflow/.loop/.objects");
  const objects = (await readdir(kept, { recursive: true })).filter((name) =>
    /[0-9a-f]{38}$/.test(name),
  );
  expect(objects.map((name) => name.replaceAll(/\W/g, ""))).toContain(tree);
  expect(objects).toHaveLength(2);
  expect(await userGit(cwd, "status", "--porcelain")).toBe("?? src/\n");
});
