import { afterEach, expect, test, vi } from "vitest";
import { checkpoint, forget } from "../src/checkpoint/checkpoint.ts";
import { readCheckpoint } from "../src/checkpoint/entries.ts";
import { blobNameCache } from "../src/checkpoint/raw-tree.ts";
import { objectsFolder } from "../src/folders.ts";
import { requireRepository } from "../src/git/repository.ts";
import { fill } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

/** A moment at which the files of a test were changed long ago. */
const LATER = () => Date.now() + 60_000;

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A repository in which git converts every file. */
async function converting() {
  const cwd = await repositoryWith({ "a.txt": "a\r\n", 'odd\n"name"': "b\r\n" });
  await userGit(cwd, "config", "core.autocrlf", "true");
  return { cwd, repository: await requireRepository(cwd) };
}

test("a file is not read again while its times are as before", async () => {
  const { cwd, repository } = await converting();
  const names = blobNameCache(repository, LATER);
  const paths = ["a.txt", 'odd\n"name"', "gone.txt"];
  const first = await names.of(paths, null);
  expect([...first.keys()].sort()).toEqual(["a.txt", 'odd\n"name"']);
  const raw = await userGit(cwd, "hash-object", "--no-filters", "a.txt");
  expect(first.get("a.txt")).toBe(raw.trim());

  // Without git nothing can be read.
  vi.stubEnv("PATH", "");
  expect(await names.of(paths, null)).toEqual(first);
  // It was named only, and not stored.
  await expect(names.of(paths, {})).rejects.toThrow("git is not installed");
  await fill(cwd, { "a.txt": "b\r\n" });
  await expect(names.of(paths, null)).rejects.toThrow("git is not installed");
});

test("a file that was changed just now is read again", async () => {
  const { repository } = await converting();
  const names = blobNameCache(repository);
  await names.of(["a.txt"], null);
  vi.stubEnv("PATH", "");
  await expect(names.of(["a.txt"], null)).rejects.toThrow("git is not installed");
});

test("what was stored and is gone by now is stored again", async () => {
  const { cwd, repository } = await converting();
  const names = blobNameCache(repository, LATER);
  await fill(cwd, { "a.txt": "in no commit\r\n" });
  const opened = { repository, names, objects: await objectsFolder(cwd) };
  await checkpoint(opened, { id: "loop", n: 0, message: "Start" });
  await forget(opened, "loop");
  await userGit(cwd, "gc", "-q", "--prune=now");
  const { commit } = await checkpoint(opened, { id: "loop", n: 0, message: "Start" });
  const read = await readCheckpoint(opened, commit, ["a.txt"]);
  expect(Buffer.from(read.get("a.txt") ?? []).toString()).toBe("in no commit\r\n");
  await userGit(cwd, "fsck", "--strict", "--connectivity-only");
});
