import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { removeFiles } from "../src/checkpoint/restore.ts";
import { writeFiles } from "../src/checkpoint/write-files.ts";
import { requireRepository } from "../src/git/repository.ts";
import { gitWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";
import { filesIn } from "./states.ts";

const OURS = /^\.(git|workflow)$/;

/** A repository with a checkpoint of these files. */
async function kept(files: Record<string, string>) {
  const cwd = await repositoryWith(files);
  const workspace = gitWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  return { cwd, workspace, commit, before: await filesIn(cwd, OURS) };
}

test("killed between two files, it can be done again", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`${n % 5}/${n}.txt`, `${n}`]),
  );
  const { cwd, workspace, commit, before } = await kept(files);
  for (const path of Object.keys(files))
    await fill(cwd, { [path]: "changed", [`new-${path}`]: "new" });
  const killed = promisify(execFile)(
    process.execPath,
    [
      "--import",
      join(import.meta.dirname, "die-while-restoring.ts"),
      join(import.meta.dirname, "restoring.ts"),
    ],
    { env: { ...process.env, CWD: cwd, COMMIT: commit } },
  );
  await expect(killed).rejects.toMatchObject({ signal: "SIGKILL" });
  const half = Object.values(await filesIn(cwd, OURS));
  expect(half).toContain("file changed");
  expect(half.filter((content) => /^file \d+$/.test(content)).length).toBeGreaterThan(0);
  await workspace.restore(commit);
  expect(await filesIn(cwd, OURS)).toEqual(before);
});

describe("paths that lead outside", () => {
  test("are not followed where a folder became a link that git sees", async () => {
    const { cwd, workspace, commit, before } = await kept({ "sub/a.txt": "a", "b.txt": "b" });
    const outside = await place({ "a.txt": "somebody's" });
    await rm(join(cwd, "sub"), { recursive: true });
    await symlink(outside, join(cwd, "sub"));
    await workspace.restore(commit);
    expect(await filesIn(cwd, OURS)).toEqual(before);
    expect(await readFile(join(outside, "a.txt"), "utf8")).toBe("somebody's");
  });

  test.each(["sub", "sub/deep"])(
    "are refused where %s became a link that is ignored",
    async (link) => {
      const { cwd, workspace, commit } = await kept({ "sub/deep/a.txt": "a", "b.txt": "b" });
      const outside = await place({ "a.txt": "somebody's", "deep/a.txt": "somebody's" });
      await fill(cwd, { ".git/info/exclude": "sub\ndeep\n", "b.txt": "edited" });
      await userGit(cwd, "rm", "-r", "-q", "--cached", "sub");
      await rm(join(cwd, link), { recursive: true });
      await symlink(outside, join(cwd, link));
      await expect(workspace.restore(commit)).rejects.toMatchObject({
        code: "unsafe_path",
        message: expect.stringContaining(link),
      });
      expect(await filesIn(outside, /^$/)).toEqual({
        "a.txt": "file somebody's",
        "deep/a.txt": "file somebody's",
      });
      expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("edited");
    },
  );

  test("are refused where a folder becomes a link in the middle of it", async () => {
    const { cwd } = await kept({ "a.txt": "a" });
    const outside = await place({ "deep/a.txt": "somebody's" });
    await symlink(outside, join(cwd, "sub"));
    const repository = await requireRepository(cwd);
    const name = (await userGit(cwd, "rev-parse", "HEAD:a.txt")).trim();
    const entry = { path: "sub/deep/a.txt", mode: "100644", name, lfs: false };
    const refusal = { code: "unsafe_path" };
    await expect(removeFiles(repository, [entry.path])).rejects.toMatchObject(refusal);
    await expect(writeFiles(repository, cwd, [entry])).rejects.toMatchObject(refusal);
    expect(await readFile(join(outside, "deep/a.txt"), "utf8")).toBe("somebody's");
  });
});

describe("files that nobody keeps", () => {
  test("are set aside where a file of the checkpoint was and they are ignored since", async () => {
    const { cwd, workspace, commit } = await kept({ "a.txt": "a" });
    await rm(join(cwd, "a.txt"));
    await userGit(cwd, "rm", "-q", "--cached", "a.txt");
    await fill(cwd, { ".gitignore": "a.txt\n", "a.txt": "precious" });
    await workspace.restore(commit);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("a");
    const aside = await filesIn(join(cwd, ".workflow/.loop/.set-aside"), OURS);
    expect(Object.values(aside)).toContain("file precious");
  });

  test.each([
    ["in a folder where a file was", "thing", "thing/ignored.log"],
    ["where a folder was", "thing/a.txt", "thing"],
  ])("are not removed %s", async (_, path, blocking) => {
    const { cwd, workspace, commit } = await kept({ [path]: "kept" });
    await userGit(cwd, "rm", "-r", "-q", "thing");
    await fill(cwd, { ".git/info/exclude": "*.log\nthing\n" });
    await fill(cwd, { [blocking]: "nobody keeps this" });
    await expect(workspace.restore(commit)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(blocking),
    });
    expect(await readFile(join(cwd, blocking), "utf8")).toBe("nobody keeps this");
  });

  test("because they were ignored then stay, although they are not ignored now", async () => {
    const { cwd, workspace, commit } = await kept({ "sub/.gitignore": "*.log\n", "a.txt": "a" });
    await fill(cwd, { "node_modules/x.js": "x", "sub/b.log": "b" });
    await fill(cwd, { ".gitignore": "", "sub/.gitignore": "", "sub/new.txt": "new" });
    await workspace.restore(commit);
    expect(await filesIn(cwd, OURS)).toEqual({
      ".gitignore": "file node_modules\n",
      "a.txt": "file a",
      "node_modules/x.js": "file x",
      "sub/.gitignore": "file *.log\n",
      "sub/b.log": "file b",
    });
  });
});

test("sets aside what was ignored only since then: it was not there, and is in no checkpoint", async () => {
  const { cwd, workspace, commit, before } = await kept({ "a.txt": "a" });
  const aside = join(cwd, ".workflow/.loop/.set-aside");
  for (let n = 1; n <= 4; n += 1) {
    await fill(cwd, { "sub/.gitignore": "out\n", "sub/out/x.js": `${n}`, "sub/b.txt": "b" });
    await workspace.checkpoint("loop", n, "DEVELOP");
    expect(await workspace.restore(commit)).toContainEqual({
      path: "sub/out/x.js",
      kind: "deleted",
    });
    expect(await filesIn(cwd, OURS)).toEqual(before);
    expect(await readdir(cwd)).not.toContain("sub");
  }
  expect(Object.values(await filesIn(aside, /gitignore/))).toEqual(["file 2", "file 3", "file 4"]);
  expect(await userGit(cwd, "status", "--porcelain")).toBe("");
});

test("gives back a file that is ignored by now", async () => {
  const { cwd, workspace, commit } = await kept({ "a.txt": "a", "b.log": "b" });
  await userGit(cwd, "rm", "-q", "--cached", "b.log");
  await fill(cwd, { ".git/info/exclude": "*.log\n", "b.log": "other" });
  await workspace.restore(commit);
  expect(await readFile(join(cwd, "b.log"), "utf8")).toBe("b");
});

test("keeps the rights of a file, and empty folders that have nothing to do with it", async () => {
  const { cwd, workspace, commit } = await kept({ "a.txt": "a", "sub/b.txt": "b" });
  await mkdir(join(cwd, "empty/inside"), { recursive: true });
  await fill(cwd, { "a.txt": "changed", "sub/more/c.txt": "c" });
  await chmod(join(cwd, "a.txt"), 0o600);
  await workspace.restore(commit);
  expect((await stat(join(cwd, "a.txt"))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(cwd, "sub"))).toEqual(["b.txt"]);
  expect(await readdir(join(cwd, "empty"))).toEqual(["inside"]);
});

test("removes empty folders where a file was", async () => {
  const { cwd, workspace, commit, before } = await kept({ thing: "a file" });
  await rm(join(cwd, "thing"));
  await mkdir(join(cwd, "thing/empty/inside"), { recursive: true });
  await workspace.restore(commit);
  expect(await filesIn(cwd, OURS)).toEqual(before);
});

test("never removes the folder that was opened", async () => {
  const { cwd, commit } = await kept({ "a.txt": "a" });
  await fill(cwd, { "sub/b.txt": "b" });
  const workspace = gitWorkspace(join(cwd, "sub"));
  await workspace.tree();
  await rm(join(cwd, "sub/.workflow"), { recursive: true });
  expect(await workspace.restore(commit)).toEqual([{ path: "b.txt", kind: "deleted" }]);
  expect(await readdir(cwd)).toContain("sub");
});

test("takes a file larger than what fits into memory together with others", async () => {
  const { cwd, workspace, commit } = await kept({
    "large.txt": "x".repeat(40_000_000),
    "a.txt": "a",
  });
  await writeFile(join(cwd, "large.txt"), "");
  await workspace.restore(commit);
  expect((await stat(join(cwd, "large.txt"))).size).toBe(40_000_000);
});

test("restores no commit that is no checkpoint, and checks out any", async () => {
  const { cwd, workspace } = await kept({ "a.txt": "a" });
  const head = (await userGit(cwd, "rev-parse", "HEAD")).trim();
  await expect(workspace.restore(head)).rejects.toMatchObject({ code: "invalid_input" });
  const folder = join(await place(), "x");
  await workspace.checkout(head, folder);
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("a");
});
