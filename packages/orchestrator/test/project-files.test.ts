import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { realFiles } from "../src/project-files.ts";
import { project } from "./support.ts";

describe("in the place of a project's file", () => {
  test.each<[string, (path: string) => unknown]>([
    ["a named pipe", (path) => execFileSync("mkfifo", [path])],
    ["a folder", (path) => mkdirSync(path)],
    ["an endless device", (path) => symlinkSync("/dev/zero", path)],
    ["a link to itself", (path) => symlinkSync(path, path)],
    [
      "10 GB of nothing",
      (path) => {
        writeFileSync(path, "");
        truncateSync(path, 10e9);
      },
    ],
  ])("%s is refused at once", async (_, put) => {
    const path = join(project(), "file");
    put(path);
    await expect(realFiles.text(path)).rejects.toThrow();
    expect(await realFiles.bytes(path, { most: 1e9, followLinks: true })).toBeNull();
  });

  test("nothing is null, and a link is followed", async () => {
    const dir = project();
    expect(await realFiles.text(join(dir, "none"))).toBeNull();
    writeFileSync(join(dir, "file"), "wörter");
    symlinkSync("file", join(dir, "link"));
    expect(await realFiles.text(join(dir, "link"))).toBe("wörter");
  });
});
