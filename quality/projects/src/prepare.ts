import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { replaceText } from "../../../packages/testkit/src/agent/edit-file.ts";
import { environment, exitOf, isolatedEnvironment } from "../../support/environment.ts";
import { makeRepository, removeFolder, temporaryFolder } from "../../support/folders.ts";
import { type Edit, type Project, testCommand } from "./project.ts";

const LONGEST_MS = 300_000;
const run = promisify(execFile);

/** What such repositories ignore; a package is published without its `.gitignore`. */
const IGNORED = ["node_modules", "package-lock.json", "coverage", ".nyc_output", ""];

/** The project with our bug in the new folder `top`: everything installed and, unless it is to have no repository, committed. */
export async function prepare(project: Project, top: string): Promise<void> {
  const { from, edit } = project;
  await mkdir(top, { recursive: true });
  if ("npm" in from) await unpack(from.npm, from.install, top);
  else await lay(from.files, top);
  await change(edit, "right", "bug", top);
  for (const command of ("files" in from && from.setup) || []) await shell(command, top);
  if (project.git !== false) makeRepository(top, "The project with a bug");
}

/** Replaces the one text of the edit by another. Throws unless it stands there once. */
export async function change(
  edit: Edit,
  from: "right" | "bug" | "wrong",
  to: "right" | "bug" | "wrong",
  top: string,
): Promise<void> {
  await replaceText(top, { path: edit.file, old: edit[from], new: edit[to] });
}

async function unpack(spec: string, install: readonly string[], top: string): Promise<void> {
  const options = { cwd: dirname(top), env: environment(), timeout: LONGEST_MS };
  const pack = ["pack", "--silent", "--pack-destination", ".", spec];
  const { stdout } = await run("npm", pack, options);
  const archive = join(dirname(top), stdout.trim().split("\n").at(-1) ?? "");
  await run("tar", ["-xzf", archive, "-C", top, "--strip-components=1"], options);
  await rm(archive);
  await needOnly(install, join(top, "package.json"), spec);
  await writeFile(join(top, ".gitignore"), IGNORED.join("\n"));
  const arguments_ = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await run("npm", arguments_, { ...options, cwd: top });
}

/** Leaves only the named ones among the `devDependencies`, so that everything that the project asks for is there. */
async function needOnly(install: readonly string[], file: string, spec: string): Promise<void> {
  const manifest = JSON.parse(await readFile(file, "utf8"));
  const given: Record<string, string> = manifest.devDependencies ?? {};
  const strangers = install.filter((name) => given[name] === undefined);
  if (strangers.length > 0) throw new Error(`${spec} does not ask for ${strangers.join(", ")}.`);
  manifest.devDependencies = Object.fromEntries(install.map((name) => [name, given[name]]));
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

async function lay(files: Readonly<Record<string, string>>, top: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
  }
}

async function shell(command: string, cwd: string): Promise<void> {
  await run("/bin/sh", ["-c", command], { cwd, env: environment(), timeout: LONGEST_MS });
}

/** For whoever adds a project: the exit codes of its tests with our bug, with the wrong repair and with the right one. */
export async function byHand(project: Project): Promise<string> {
  const place = temporaryFolder("projects");
  const top = join(place, project.place ?? "project");
  const tests = () =>
    exitOf(
      testCommand(project),
      join(top, project.folder ?? "."),
      isolatedEnvironment(top),
      60_000,
    );
  try {
    await prepare(project, top);
    const bug = tests();
    await change(project.edit, "bug", "wrong", top);
    const wrong = tests();
    await change(project.edit, "wrong", "right", top);
    return `${bug} with the bug, ${wrong} repaired wrongly, ${tests()} repaired`;
  } finally {
    removeFolder(place);
  }
}
