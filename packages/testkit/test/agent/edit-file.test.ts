import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { appendText, deleteFile, replaceText, writeWhole } from "../../src/agent/edit-file.ts";
import { emptyFolder } from "./conversations.ts";

let cwd = "";
let outside = "";
const read = (path: string) => readFile(join(cwd, path), "utf8");

beforeEach(async () => {
  const folder = await emptyFolder();
  cwd = join(folder, "project");
  outside = join(folder, "outside");
  await mkdir(cwd);
  await mkdir(outside);
});

describe("replaceText", () => {
  it.each([
    ["replaces", "a b c", "b", "X", "a X c"],
    ["takes $ literally", "a b c", "b", "$&$1", "a $&$1 c"],
    ["is done already", "a X c", "b", "X", "a X c"],
    ["grows once", "one\n", "one\n", "one\ntwo\n", "one\ntwo\n"],
    ["does not grow again", "one\ntwo\n", "one\n", "one\ntwo\n", "one\ntwo\n"],
  ])("%s", async (_, before, old, replacement, after) => {
    await writeFile(join(cwd, "f"), before);
    await replaceText(cwd, { path: "f", old, new: replacement });
    expect(await read("f")).toBe(after);
  });

  it.each([
    ["neither is there", "a c", /neither the old nor the new/],
    ["the old text is there twice", "b b", /the old text 2 times/],
  ])("fails when %s", async (_, before, message) => {
    await writeFile(join(cwd, "f"), before);
    await expect(replaceText(cwd, { path: "f", old: "b", new: "X" })).rejects.toThrow(message);
    expect(await read("f")).toBe(before);
  });

  it("fails when the file is missing", async () => {
    const edit = replaceText(cwd, { path: "none", old: "b", new: "X" });
    await expect(edit).rejects.toMatchObject({ code: "agent_failed" });
  });
});

it("appends once, also to a missing file", async () => {
  await appendText(cwd, "log/f", "line\n");
  await appendText(cwd, "log/f", "line\n");
  await appendText(cwd, "log/f", "more\n");
  expect(await read("log/f")).toBe("line\nmore\n");
});

it("deletes what may be gone already", async () => {
  await writeWhole(cwd, "f", "a");
  await deleteFile(cwd, "f");
  await deleteFile(cwd, "f");
  await expect(read("f")).rejects.toMatchObject({ code: "ENOENT" });
});

describe("a path that leads out of the project", () => {
  beforeEach(async () => {
    await writeFile(join(outside, "victim"), "untouched");
    await symlink(outside, join(cwd, "folder"));
    await symlink(join(outside, "victim"), join(cwd, "link"));
    await symlink(join(outside, "absent"), join(cwd, "dangling"));
  });

  it.each([
    "../outside/victim",
    "a/../../outside/victim",
    "folder/victim",
    "folder/new/file",
    "link",
    "dangling",
    ".",
    "/etc/hostname",
  ])("is refused: %s", async (path) => {
    const refused = { code: "unsafe_path" };
    await expect(writeWhole(cwd, path, "x")).rejects.toMatchObject(refused);
    await expect(appendText(cwd, path, "x")).rejects.toMatchObject(refused);
    await expect(deleteFile(cwd, path)).rejects.toMatchObject(refused);
    await expect(replaceText(cwd, { path, old: "untouched", new: "x" })).rejects.toMatchObject(
      refused,
    );
    expect(await readFile(join(outside, "victim"), "utf8")).toBe("untouched");
    await expect(readFile(join(outside, "absent"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
