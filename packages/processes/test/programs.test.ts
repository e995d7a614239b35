import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownProgram, pathOutside } from "../src/programs.ts";

/** A project, and a folder beside it in which a link leads into the project. */
async function place() {
  const top = await realpath(await mkdtemp(join(tmpdir(), "ccw-programs-")));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const [cwd, tools, linked] = [join(top, "p"), join(top, "tools"), join(top, "linked")];
  for (const folder of [join(cwd, "bin"), tools]) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "git"), "", { mode: 0o755 });
  }
  await symlink(join(cwd, "bin"), linked);
  return { top, cwd, tools, linked };
}

test("a program of ours is looked for where no agent of the project can put one", async () => {
  const { top, cwd, tools, linked } = await place();
  const packages = join(top, "other/node_modules/.bin");
  const path = ["", ".", packages, `${packages}/`, join(cwd, "bin"), linked, tools].join(":");
  expect(pathOutside(path, [cwd])).toBe(tools);
  expect(ownProgram("git", path, [cwd])).toBe(join(tools, "git"));
  expect(ownProgram("git", `${join(cwd, "bin")}:${linked}`, [cwd])).toBeNull();
  expect(ownProgram("git", path, [])).toBe(join(cwd, "bin/git"));
});

test("neither is one that leads into the project, nor what cannot be run", async () => {
  const { top, cwd, tools } = await place();
  const [first, second] = [join(top, "first"), join(top, "second")];
  await mkdir(first);
  await mkdir(second);
  await symlink(join(cwd, "bin/git"), join(first, "git"));
  await writeFile(join(second, "git"), "");
  expect(ownProgram("git", `${first}:${second}:${tools}`, [cwd])).toBe(join(tools, "git"));
});
