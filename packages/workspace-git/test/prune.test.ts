import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pruneObjects } from "../src/git/prune.ts";
import { requireRepository } from "../src/git/repository.ts";
import { gitWorkspace } from "../src/index.ts";
import { fill } from "./place.ts";
import { repositoryWith } from "./repository.ts";

const LONG_AGO = Date.now() / 1000 - 31 * 24 * 60 * 60;

async function objectsIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true });
  return found.filter((path) => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(path));
}

test("tree objects are dropped when they are old, many, and no document mentions them", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const workspace = gitWorkspace(cwd);
  const repository = await requireRepository(cwd);
  const objects = join(cwd, ".workflow/.loop/.objects");
  const trees: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    await fill(cwd, { "sub/deep/x.txt": `${n}`, ...(n === 2 ? { "same/y.txt": "y" } : {}) });
    trees.push(await workspace.tree());
  }
  const [forgotten = "", mentioned = "", now = ""] = trees;
  await fill(cwd, {
    ".workflow/.loop/loop.json": JSON.stringify({ receipts: [{ tree: mentioned }] }),
  });
  const all = await objectsIn(objects);
  for (const path of all) await utimes(join(objects, path), LONG_AGO, LONG_AGO);
  await fill(cwd, { "sub/deep/x.txt": "young" });
  const young = await workspace.tree();

  await pruneObjects({ repository, objects });
  expect(await objectsIn(objects)).toEqual(expect.arrayContaining(all));

  await pruneObjects({ repository, objects }, 0);
  expect((await objectsIn(objects)).length).toBeLessThan(all.length);
  expect(await workspace.changes(mentioned, young)).toEqual([
    { path: "same/y.txt", kind: "added" },
    { path: "sub/deep/x.txt", kind: "modified" },
  ]);
  for (const tree of [forgotten, now]) {
    await expect(workspace.changes(tree, young)).rejects.toMatchObject({ code: "invalid_input" });
  }
});
