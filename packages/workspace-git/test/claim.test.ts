import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gitWorkspace, openWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

const LONG_MS = 60_000;
const BUSY = { code: "workspace_busy" };
const held = (loop: string, project = "/p") => ({ loop, project, owner: "me" });

test("ends with the process that made it, although it was not given back", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const script = join(import.meta.dirname, "claiming.ts");
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, CWD: cwd },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const workspace = gitWorkspace(cwd);
  await expect(workspace.claim(held("two"), LONG_MS)).rejects.toMatchObject(BUSY);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await workspace.holder()).toBeNull();
  expect((await workspace.claim(held("two"), LONG_MS)).takenFrom).toEqual([]);
});

test("is of the whole repository, whichever folder of it was opened; a linked worktree has its own", async () => {
  const cwd = await repositoryWith({ "a/x.txt": "x", "b/y.txt": "y" });
  const linked = join(await realpath(await place()), "linked");
  await userGit(cwd, "worktree", "add", "-q", linked);
  const [a, b] = [gitWorkspace(join(cwd, "a")), gitWorkspace(join(cwd, "b"))];
  const there = gitWorkspace(linked);
  const claim = await a.claim(held("one", "/p/a"), LONG_MS);
  await expect(b.claim(held("one", "/p/b"), LONG_MS)).rejects.toMatchObject({
    ...BUSY,
    details: { top: await realpath(cwd), holder: held("one", "/p/a") },
  });
  await there.claim(held("two"), LONG_MS);
  await claim.release();
  expect(await b.holder()).toBeNull();
  expect(await there.holder()).toEqual(held("two"));
});

test("is no file of the project, with git and without", async () => {
  for (const cwd of [await repositoryWith({ "a.txt": "a" }), await place({ "a.txt": "a" })]) {
    const workspace = await openWorkspace(cwd);
    const before = await workspace.tree();
    await workspace.claim(held("one"), LONG_MS);
    expect(await workspace.tree()).toBe(before);
  }
});

test("can be made where records are damaged, and leaves one file behind", async () => {
  const cwd = await repositoryWith({});
  const folder = join(cwd, ".git/ccw-loop");
  const workspace = gitWorkspace(cwd);
  await fill(folder, {
    "driver-3.json": "{",
    "driver-x.json": "",
    "driver-99999999999999999.json": "",
  });
  for (const loop of ["one", "two", "three"]) {
    const claim = await workspace.claim(held(loop), LONG_MS);
    expect(await workspace.holder()).toEqual(held(loop));
    await claim.release();
    const names = (await readdir(folder)).filter((name) => /^driver-\d{1,5}\./.test(name));
    expect(names).toHaveLength(1);
  }
  const [last = ""] = (await readdir(folder)).filter((name) => /^driver-\d{1,5}\./.test(name));
  await rm(join(folder, last));
  execFileSync("mkfifo", [join(folder, last)]);
  await (await workspace.claim(held("four"), LONG_MS)).release();
  await mkdir(join(folder, "driver-50.json"));
  await writeFile(join(folder, "driver-50.json", "x"), "");
  await workspace.claim(held("five"), LONG_MS);
  expect(await workspace.holder()).toEqual(held("five"));
});
