import { execFile } from "node:child_process";
import {
  chmod,
  lstat,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { filesWorkspace } from "../src/index.ts";
import { pruneContents } from "../src/plain-files/content-store.ts";
import { digestStore } from "../src/plain-files/digest-store.ts";
import { manifestStore, TREES_KEPT } from "../src/plain-files/manifest.ts";
import { digestCache, IGNORED_FOLDERS } from "../src/plain-files/scan.ts";
import { fill, place } from "./place.ts";

test("leaves out what tools fetch and build, at any depth", async () => {
  const cwd = await place({ "a.txt": "a" });
  const workspace = filesWorkspace(cwd);
  const before = await workspace.tree();
  for (const folder of IGNORED_FOLDERS) {
    await fill(cwd, { [`${folder}/x.js`]: "x", [`deep/er/${folder}/x.js`]: "x" });
  }
  expect(await workspace.tree()).toBe(before);
  await fill(cwd, { "deep/er/a.txt": "counts" });
  expect(await workspace.tree()).not.toBe(before);
});

test("compares the newest trees only, and forgets the others", async () => {
  const cwd = await place();
  const workspace = filesWorkspace(cwd);
  const names: string[] = [];
  for (let round = 0; round <= TREES_KEPT; round += 1) {
    await writeFile(join(cwd, "a.txt"), `round ${round}`);
    names.push(await workspace.tree());
  }
  const kept = await readdir(join(cwd, ".workflow/.loop/.trees"));
  expect(kept).toHaveLength(TREES_KEPT);
  const newest = names.at(-1) ?? "";
  expect(await workspace.changes(names[1] ?? "", newest)).toEqual([
    { path: "a.txt", kind: "modified" },
  ]);
  await expect(workspace.changes(names[0] ?? "", newest)).rejects.toMatchObject({
    code: "invalid_input",
  });
});

test("does not trust a manifest that was changed", async () => {
  const cwd = await place({ "a.txt": "a" });
  const workspace = filesWorkspace(cwd);
  const name = await workspace.tree();
  const file = join(cwd, ".workflow/.loop/.trees", `${name}.gz`);
  for (const damage of ["", "no gzip"]) {
    await writeFile(file, damage);
    await expect(workspace.changes(name, name)).rejects.toMatchObject({ code: "invalid_input" });
  }
});

test("a file that is too large to read is there by size and time", async () => {
  const cwd = await place({ large: "" });
  const workspace = filesWorkspace(cwd);
  await truncate(join(cwd, "large"), 500 * 1024 ** 3);
  await utimes(join(cwd, "large"), 1_000_000_000, 1_000_000_000);
  const first = await workspace.tree();
  expect(await workspace.tree()).toBe(first);
  await utimes(join(cwd, "large"), 1_000_000_001, 1_000_000_001);
  expect(await workspace.tree()).not.toBe(first);
});

test("sees an edit whose size and time were put back", async () => {
  const cwd = await place({ "a.txt": "one" });
  const file = join(cwd, "a.txt");
  await utimes(file, 1_000_000_000, 1_000_000_000);
  const workspace = filesWorkspace(cwd);
  const first = await workspace.tree();
  await writeFile(file, "two");
  await utimes(file, 1_000_000_000, 1_000_000_000);
  expect(await workspace.tree()).not.toBe(first);
});

test("reads a file again unless its times are settled", async () => {
  const cwd = await place({ a: "one" });
  const stats = await lstat(join(cwd, "a"), { bigint: true });
  const known = digestCache(cwd);
  const young = await known({ path: "a", stats });
  await writeFile(join(cwd, "a"), "two");
  const edited = await known({ path: "a", stats });
  expect(edited).not.toBe(young);

  const settled = Object.assign(stats, { mtimeNs: 1n, ctimeNs: 1n });
  expect(await known({ path: "a", stats: settled })).toBe(edited);
  await writeFile(join(cwd, "a"), "not read");
  expect(await known({ path: "a", stats: settled })).toBe(edited);
  const later = Object.assign(stats, { ctimeNs: 2n });
  expect(await known({ path: "a", stats: later })).not.toBe(edited);
});

test("passes over what is neither file nor link", async () => {
  const cwd = await place({ "a.txt": "a" });
  const workspace = filesWorkspace(cwd);
  const first = await workspace.tree();
  await promisify(execFile)("mkfifo", [join(cwd, "pipe")]);
  expect(await workspace.tree()).toBe(first);
});

test("keeps files up to 10 MB", async () => {
  const cwd = await place({
    "a.txt": "text",
    "b.bin": "\0",
    "large.txt": "x".repeat(10 * 1024 * 1024 + 1),
  });
  const workspace = filesWorkspace(cwd);
  const { commit, skipped } = await workspace.checkpoint("loop", 0, "Start");
  expect(skipped).toEqual([{ path: "large.txt", reason: "larger than 10 MB (11 MB)" }]);
  const read = await workspace.read(commit, ["a.txt", "b.bin", "large.txt"]);
  expect([...read.keys()]).toEqual(["a.txt", "b.bin"]);
  const kept = join(cwd, ".workflow/.loop/.contents");
  for (const name of await readdir(kept)) await writeFile(join(kept, name), "damaged");
  expect(await workspace.read(commit, ["a.txt"])).toEqual(new Map());
});

test("drops contents that no tree names any more, when there are many", async () => {
  const cwd = await place();
  const workspace = filesWorkspace(cwd);
  const contents = digestStore(cwd, ".contents");
  const manifests = manifestStore(cwd);
  const keep = async (content: string) => {
    await writeFile(join(cwd, "a.txt"), content);
    return (await workspace.checkpoint("loop", 0, "kept")).commit;
  };
  const [first, last] = [await keep("one"), await keep("two")];
  await contents.keep(Buffer.from("nobody's"));
  const manifest = await manifests.read(last);
  await pruneContents(manifest, manifests, contents);
  expect(await contents.names()).toHaveLength(3);
  await pruneContents(manifest, manifests, contents, 0);
  expect(await contents.names()).toHaveLength(2);
  expect((await workspace.read(first, ["a.txt"])).size).toBe(1);
});

test("checks out the files of a checkpoint, with links and executable bits", async () => {
  const cwd = await place({ "sub/run.sh": "true", "vendor/x": "x" });
  await chmod(join(cwd, "sub/run.sh"), 0o755);
  await symlink("sub/run.sh", join(cwd, "link"));
  const workspace = filesWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  const { cwd: copy } = await workspace.checkout(commit, join(await place(), "copy"));
  expect((await lstat(join(copy, "sub/run.sh"))).mode & 0o777).toBe(0o755);
  expect(await readlink(join(copy, "link"))).toBe("sub/run.sh");
  expect((await lstat(join(copy, "vendor/x"))).isFile()).toBe(true);
  await fill(cwd, { "sub/run.sh": "later" });
  const { cwd: earlier } = await workspace.checkout(commit, join(await place(), "copy"));
  expect(await readFile(join(earlier, "sub/run.sh"), "utf8")).toBe("true");
});

test("says so when the folder is gone", async () => {
  const cwd = await place();
  await rm(cwd, { recursive: true });
  await expect(filesWorkspace(cwd).tree()).rejects.toMatchObject({ code: "invalid_input" });
});
