import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
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
    const dir = project();
    const path = join(dir, "file");
    put(path);
    await expect(realFiles.text(dir, "file")).rejects.toThrow();
    expect(await realFiles.bytes(path, { most: 1e9, followLinks: true })).toBeNull();
  });

  test("nothing is null, and a link is followed", async () => {
    const dir = project();
    expect(await realFiles.text(dir, "none")).toBeNull();
    expect(await realFiles.text(join(dir, "none"), "file")).toBeNull();
    writeFileSync(join(dir, "file"), "wörter");
    expect(await realFiles.text(dir, "file/below")).toBeNull();
    symlinkSync("file", join(dir, "link"));
    expect(await realFiles.text(dir, "link")).toBe("wörter");
    symlinkSync(dir, join(dir, "again"));
    expect(await realFiles.text(dir, "again/file")).toBe("wörter");
  });

  test("a link that leads out of the project is refused, whatever part of the path it is", async () => {
    const [dir, other] = [project(), project()];
    writeFileSync(join(other, "file"), "secret");
    symlinkSync(join(other, "file"), join(dir, "link"));
    symlinkSync(other, join(dir, "folder"));
    symlinkSync(`${dir}/../${basename(other)}`, join(dir, "up"));
    for (const path of ["link", "folder/file", "up/file", `../${basename(other)}/file`]) {
      await expect(realFiles.text(dir, path)).rejects.toThrow("leads out of the project");
    }
  });
});
