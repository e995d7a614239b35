import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testEnvironment } from "../src/process/environment.ts";
import { project } from "./project.ts";

/** Writes files into a project; those that start with `#!` can be run. */
export async function write(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
    if (content.startsWith("#!")) await chmod(join(dir, path), 0o755);
  }
}

/** Puts a package into `node_modules` as npm does: its files, and a link to its program. */
export async function install(
  dir: string,
  name: string,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = join(dir, "node_modules", name);
  const json = JSON.stringify({ name, version: "4.1.0", bin: "cli.mjs" });
  await write(folder, { "package.json": json, "cli.mjs": "#!/usr/bin/env node\n", ...files });
  await mkdir(join(dir, "node_modules", ".bin"), { recursive: true });
  const bin = join(dir, "node_modules", ".bin", name.replace(/^@.*\//, ""));
  await symlink(join("..", name, "cli.mjs"), bin).catch(() => {});
}

/** A project with a runner of that name, its parts, and a script that starts it. */
export async function projectWith(runner: string, script = `${runner} run`): Promise<string> {
  const scripts = { test: script, pretest: "true" };
  const dir = await project({ "package.json": JSON.stringify({ name: "shop", scripts }) });
  await install(dir, runner, { "dist/index.js": "run();\n", "dist/expect.js": "expect();\n" });
  return dir;
}

export const environmentOf = (dir: string) => testEnvironment(process.env, dir);
