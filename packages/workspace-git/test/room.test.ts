import {
  lstat,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { filesWorkspace } from "../src/plain-files/files-workspace.ts";
import { fill, place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

const PROJECT = {
  ".gitignore": "node_modules\n",
  "src/cart.js": "old source",
  "src/gone.js": "gone later",
  "test/cart.test.js": "old test",
  "node_modules/dep/index.js": "dep",
  "node_modules/dep/lib/a.js": "a",
  "node_modules/other/index.js": "other",
};

const KINDS = [
  ["git", gitWorkspace, async () => realpath(await repositoryWith({ "a.txt": "a" }))],
  ["no git", filesWorkspace, async () => realpath(await place())],
] as const;

test.each(KINDS)(
  "%s: a checkout of the start with some files of the present",
  async (_, open, make) => {
    const cwd = await make();
    await fill(cwd, PROJECT);
    const workspace = open(cwd);
    const start = await workspace.checkpoint("loop", 0, "Start");
    await fill(cwd, {
      "src/cart.js": "new source",
      "src/new.js": "new",
      "test/cart.test.js": "new test",
    });
    await rm(join(cwd, "src/gone.js"));
    const present = await workspace.checkpoint("loop", 1, "Present");
    const paths = ["src/cart.js", "src/new.js", "src/gone.js", "src/never.js"];
    const { cwd: room } = await workspace.checkout(
      start.commit,
      join(await realpath(await place()), "room"),
      {
        overlay: { commit: present.commit, paths },
      },
    );
    const read = (path: string) => readFile(join(room, path), "utf8");
    expect((await readdir(join(room, "src"))).sort()).toEqual(["cart.js", "new.js"]);
    expect([await read("src/cart.js"), await read("test/cart.test.js")]).toEqual([
      "new source",
      "old test",
    ]);
  },
);

test.each(KINDS)(
  "%s: installed files that are not what they were are left out",
  async (_, open, make) => {
    const cwd = await make();
    await fill(cwd, PROJECT);
    const workspace = open(cwd);
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    const installed = await workspace.installed();
    expect(await workspace.installed()).toBe(installed);
    const inRoom = async (name: string, path: string) => {
      const { cwd: room } = await workspace.checkout(
        commit,
        join(await realpath(await place()), name),
        {
          installed,
        },
      );
      return readFile(join(room, "node_modules", path), "utf8").catch(() => null);
    };
    expect(await inRoom("same", "dep/lib/a.js")).toBe("a");
    // Written again with the same content: its time is another, and it is what it was.
    await writeFile(join(cwd, "node_modules/other/index.js"), "other");
    await fill(cwd, {
      "node_modules/.vite/results.json": "{}",
      "node_modules/dep/__pycache__/a.pyc": "compiled",
    });
    expect(await workspace.changedInstalled(installed)).toEqual([]);
    await fill(cwd, { "node_modules/dep/index.js": "patched", "node_modules/new/index.js": "new" });
    expect(await workspace.changedInstalled(installed)).toEqual([
      "node_modules/dep/index.js",
      "node_modules/new/index.js",
    ]);
    expect(await inRoom("a", "dep/index.js")).toBeNull();
    expect(await inRoom("b", "new/index.js")).toBeNull();
    expect(await inRoom("c", "dep/lib/a.js")).toBe("a");
    expect(await inRoom("d", "other/index.js")).toBe("other");
    // No way leads back from the room to what was changed.
    const { cwd: room } = await workspace.checkout(
      commit,
      join(await realpath(await place()), "e"),
      {
        installed,
      },
    );
    expect(await realpath(join(room, "node_modules/other/index.js"))).toBe(
      join(room, "node_modules/other/index.js"),
    );
    await rm(join(cwd, ".workflow/.loop/.installed"), { recursive: true });
    await expect(inRoom("f", "dep/lib/a.js")).rejects.toMatchObject({ code: "invalid_input" });
  },
);

test.each(KINDS)(
  "%s: secrets are in a room as long as they are what they were",
  async (_, open, make) => {
    const cwd = await make();
    await fill(cwd, { ...PROJECT, ".env": "PERCENT=20", "web/.env.local": "PORT=1" });
    const workspace = open(cwd);
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    const installed = await workspace.installed();
    const inRoom = async (options: Parameters<typeof workspace.checkout>[2]) => {
      const room = await workspace.checkout(
        commit,
        join(await realpath(await place()), "r"),
        options,
      );
      const read = (path: string) => readFile(join(room.cwd, path), "utf8").catch(() => null);
      return Promise.all([read(".env"), read("web/.env.local")]);
    };
    expect(await inRoom({ installed })).toEqual(["PERCENT=20", "PORT=1"]);
    expect(await inRoom({})).toEqual([null, null]);
    await writeFile(join(cwd, ".env"), "PERCENT=99");
    expect(await inRoom({ installed })).toEqual([null, "PORT=1"]);
    expect(await workspace.changedInstalled(installed)).toEqual([]);
  },
);

test("git: small ignored files are in a room as old as they are, and caches and large folders are not", async () => {
  const many = Array.from({ length: 201 }, (_, n) => [`many/${n}`, ""] as const);
  const cwd = await repositoryWith({ "kept.js": "kept" });
  await fill(cwd, {
    ".gitignore": "node_modules\n/data/\n/cache/\n/many/\n/build/\n*.log\n*.env\n/link",
    "data/prices/a.json": "[1]",
    "data/changed.json": "[2]",
    // As CMake keeps where it has configured a build.
    "build/CMakeCache.txt": `CMAKE_HOME_DIRECTORY:INTERNAL=${cwd}\n`,
    "build/Makefile": "all:\n",
    "settings.env": `DATA=${cwd}/data`,
    "cache/CACHEDIR.TAG": "",
    "cache/file": "",
    "large.log": "x".repeat(1024 * 1024 + 1),
    "small.log": "x",
    ".workflow/.loop/a.json": "{}",
    ...Object.fromEntries(many),
  });
  await symlink("/etc", join(cwd, "link"));
  const old = new Date("2020-01-01T00:00:00Z");
  await utimes(join(cwd, "data/prices/a.json"), old, old);
  const workspace = gitWorkspace(cwd);
  const start = await workspace.checkpoint("loop", 0, "Start");
  const installed = await workspace.installed();
  await fill(cwd, { "data/changed.json": "[3]", "data/new.json": "[4]" });
  const room = await workspace.checkout(start.commit, join(await realpath(await place()), "r"), {
    installed,
  });
  const names = await readdir(room.cwd, { recursive: true });
  expect(names.sort()).toEqual(
    [
      ...[".gitignore", "data", "data/prices", "data/prices/a.json", "kept.js"],
      ...["settings.env", "small.log"],
    ].sort(),
  );
  expect((await lstat(join(room.cwd, "data/prices/a.json"))).mtime).toEqual(old);
});

test("git: no file is written through a link of the room", async () => {
  const cwd = await repositoryWith({ "kept.js": "kept" });
  await fill(cwd, { ".gitignore": "/data/\n", "data/a.json": "[1]" });
  const workspace = gitWorkspace(cwd);
  const start = await workspace.checkpoint("loop", 0, "Start");
  const installed = await workspace.installed();
  const elsewhere = await realpath(await place());
  await writeFile(join(cwd, ".gitignore"), "");
  await rename(join(cwd, "data"), join(cwd, "kept"));
  await symlink(elsewhere, join(cwd, "data"));
  const present = await workspace.checkpoint("loop", 1, "Present");
  await rm(join(cwd, "data"));
  await rename(join(cwd, "kept"), join(cwd, "data"));
  const overlay = { commit: present.commit, paths: ["data"] };
  const folder = join(await realpath(await place()), "r");
  const room = await workspace.checkout(start.commit, folder, { installed, overlay });
  expect((await lstat(join(room.cwd, "data"))).isSymbolicLink()).toBe(true);
  expect(await readdir(elsewhere)).toEqual([]);
});

test("git: submodules have the files of their commits in a room, also inside of each other", async () => {
  const submodule = (cwd: string, from: string, path: string) =>
    userGit(cwd, "-c", "protocol.file.allow=always", "submodule", "add", "-q", from, path);
  const inner = await repositoryWith({ "inner.js": "inner" });
  const lib = await repositoryWith({ "lib.js": "old" });
  await submodule(lib, inner, "deep/inner");
  await userGit(lib, "commit", "-q", "-m", "inner");
  const cwd = await realpath(await repositoryWith({ "a.js": "a" }));
  await submodule(cwd, lib, "vendor/lib");
  const nested = ["submodule", "update", "-q", "--init", "--recursive"];
  await userGit(cwd, "-c", "protocol.file.allow=always", ...nested);
  await submodule(cwd, inner, "gone");
  await userGit(cwd, "commit", "-q", "-m", "submodules");
  await userGit(cwd, "submodule", "deinit", "-q", "-f", "gone");
  const workspace = gitWorkspace(cwd);
  const start = await workspace.checkpoint("loop", 0, "Start");
  const there = join(cwd, "vendor/lib");
  await fill(there, { "lib.js": "new" });
  await userGit(there, "commit", "-q", "-a", "-m", "new");
  await fill(there, { "lib.js": "not committed" });
  const present = await workspace.checkpoint("loop", 1, "Present");
  const room = async (name: string, paths: string[]) => {
    const folder = join(await realpath(await place()), name);
    const overlay = { commit: present.commit, paths };
    const { cwd: top } = await workspace.checkout(start.commit, folder, { overlay });
    return (path: string) => readFile(join(top, path), "utf8");
  };
  const before = await room("before", []);
  expect(await before("vendor/lib/lib.js")).toBe("old");
  expect(await before("vendor/lib/deep/inner/inner.js")).toBe("inner");
  // What is not initialized in the project has no file in a room either.
  await expect(before("gone/inner.js")).rejects.toMatchObject({ code: "ENOENT" });
  const after = await room("after", ["vendor/lib"]);
  expect(await after("vendor/lib/lib.js")).toBe("new");
});
