import { execFile, spawnSync } from "node:child_process";
import { cp, mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  appendText,
  deleteFile,
  replaceText,
  writeWhole,
} from "../../../packages/testkit/src/agent/edit-file.ts";
import { environment } from "../../support/environment.ts";
import { makeRepository, temporaryFolder } from "../../support/folders.ts";
import type { Play } from "./cases.ts";
import { stepsOf } from "./script.ts";

const MODULES = join(import.meta.dirname, "../../../node_modules");
const INSTALLED_WITHIN_MS = 240_000;
/** By the packages that are in each folder. */
const installed = new Map<string, Promise<string>>();

/** The case's project in the new folder `top`, as a repository with one commit where the case wants one. */
export async function prepare(play: Play, top: string): Promise<void> {
  await cp(play.files, top, { recursive: true });
  for (const name of play.project.links) await link(name, top);
  await addPackages(play.project.packages, top);
  await playSteps(stepsOf(play, play.case.before), top);
  if (play.case.git) makeRepository(top, "The project as it was");
  await playSteps(stepsOf(play, play.case.after_commit), top);
}

/** As npm would: the package, and its program in `.bin`. */
async function link(name: string, top: string): Promise<void> {
  const place = join(top, "node_modules", name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(await realpath(join(MODULES, name)), place);
  const { bin } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
  if (bin?.[name] === undefined) return;
  await mkdir(join(top, "node_modules/.bin"), { recursive: true });
  await symlink(join("..", name, bin[name]), join(top, "node_modules/.bin", name));
}

/**
 * Copies packages from the registry into the project in `top`; they are installed once for all who want the same ones,
 * as long as this process lives. Links stay what they are, and files are new ones: a case may change them.
 */
async function addPackages(specs: readonly string[], top: string): Promise<void> {
  if (specs.length === 0) return;
  const key = specs.join(" ");
  const folder = installed.get(key) ?? install(specs);
  installed.set(key, folder);
  await cp(join(await folder, "node_modules"), join(top, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

async function install(specs: readonly string[]): Promise<string> {
  const folder = temporaryFolder("packages");
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const options = { cwd: folder, env: environment(), timeout: INSTALLED_WITHIN_MS };
  await promisify(execFile)(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...specs],
    options,
  );
  return folder;
}

/**
 * Plays steps without an agent: to prepare a project, or to try a case. Only what changes files is played. Throws
 * when a command fails, unless `lenient`: an agent's turn goes on behind one.
 */
export async function playSteps(
  steps: ReturnType<typeof stepsOf>,
  cwd: string,
  { lenient = false, env = environment() } = {},
): Promise<void> {
  for (const step of steps) {
    if (step.write) await writeWhole(cwd, step.write.path, step.write.content);
    if (step.replace) await replaceText(cwd, step.replace);
    if (step.append) await appendText(cwd, step.append.path, step.append.text);
    if (step.delete !== undefined) await deleteFile(cwd, step.delete);
    if (step.run !== undefined) {
      const { status, stderr } = spawnSync("/bin/sh", ["-c", step.run], { cwd, env });
      if (status !== 0 && !lenient) throw new Error(`\`${step.run}\` fails: ${stderr}`);
    }
  }
}
