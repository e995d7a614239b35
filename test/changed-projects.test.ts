import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changedProjects } from "../scripts/changed-projects.mjs";

test("npm test -- --changed runs the projects that have a changed or a new file", async () => {
  const root = await mkdtemp(join(tmpdir(), "ccw-changed-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root });
  const put = async (file: string, text: string) => {
    await mkdir(join(root, file, ".."), { recursive: true });
    await writeFile(join(root, file), text);
  };
  for (const name of ["core", "view", "verify"]) {
    await put(`packages/${name}/package.json`, JSON.stringify({ name: `@ccw-loop/${name}` }));
    await put(`packages/${name}/src/index.ts`, "");
  }
  git("init", "--quiet");
  const commit = () => {
    git("add", "--all");
    const who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"];
    git(...who, "commit", "--quiet", "--message", "begin");
  };
  commit();
  expect(changedProjects(root)).toEqual([]);
  await put("packages/view/src/index.ts", "export {};");
  await put("packages/core/test/new.test.ts", "");
  await put("quality/sim/main.ts", "");
  await put("docs/using.md", "");
  expect(changedProjects(root)).toEqual(["@ccw-loop/core", "@ccw-loop/view", "quality"]);
  commit();
  await put("test/some.test.ts", "");
  expect(changedProjects(root)).toEqual(["repository"]);
  expect(changedProjects(root, "HEAD~1")).toContain("@ccw-loop/view");
});
