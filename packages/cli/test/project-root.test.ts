import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopsAbove, projectRoot } from "../src/runtime/project-root.ts";
import { emptyFolder } from "./support/folder.ts";

async function folders(): Promise<{ top: string; inside: string }> {
  const top = emptyFolder();
  const inside = join(top, "app", "src");
  await mkdir(inside, { recursive: true });
  return { top, inside };
}

test("the nearest folder that is a repository or keeps loops is the project", async () => {
  const { top, inside } = await folders();
  await mkdir(join(top, ".git"));
  await writeFile(join(top, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect(projectRoot(inside)).toBe(top);
  await mkdir(join(top, "app", ".workflow", ".loop"), { recursive: true });
  expect(projectRoot(inside)).toBe(join(top, "app"));
  await writeFile(join(inside, ".git"), "gitdir: elsewhere\n");
  expect(projectRoot(inside)).toBe(inside);
});

test("a package of a repository is a project of its own", async () => {
  const { top, inside } = await folders();
  await writeFile(join(top, "app", "package.json"), "{}");
  // Without a repository around it, nobody knows how far the project goes.
  expect(projectRoot(inside)).toBe(inside);
  await mkdir(join(top, ".git"));
  await writeFile(join(top, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect(projectRoot(inside)).toBe(join(top, "app"));
  expect(projectRoot(top)).toBe(top);
  await mkdir(join(top, ".workflow", ".loop"), { recursive: true });
  expect(projectRoot(inside)).toBe(join(top, "app"));
  expect(loopsAbove(join(top, "app"))).toBe(top);
  expect(loopsAbove(top)).toBeUndefined();
});

test("a package in a loop's worktree belongs to the project that keeps the loop", async () => {
  const { top } = await folders();
  const loops = join(top, "shop", ".workflow", ".loop");
  await mkdir(loops, { recursive: true });
  await writeFile(join(loops, "pay.json"), "{}");
  const inside = join(top, "shop.worktrees", "pay", "web");
  await mkdir(inside, { recursive: true });
  await writeFile(join(top, "shop.worktrees", "pay", ".git"), "gitdir: elsewhere\n");
  await writeFile(join(inside, "package.json"), "{}");
  expect(projectRoot(inside)).toBe(join(top, "shop"));
});

test("an empty .git, as a sandbox leaves it, makes no project of what lies around", async () => {
  const { top, inside } = await folders();
  await mkdir(join(top, ".git"));
  expect(projectRoot(inside)).toBe(inside);
});
