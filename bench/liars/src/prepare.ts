import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, realpath, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { environment } from "../../../quality/loops/environment.ts";
import type { Play } from "./case.ts";
import { addPackages } from "./packages.ts";
import { stepsOf } from "./script.ts";
import { playSteps } from "./steps.ts";

const modules = join(import.meta.dirname, "../../../node_modules");

/** The case's project in the new folder `top`, as a repository with one commit where the case wants one. */
export async function prepare(play: Play, top: string): Promise<void> {
  await cp(play.files, top, { recursive: true });
  for (const name of play.project.links) await link(name, top);
  await addPackages(play.project.packages, top);
  await playSteps(stepsOf(play, play.case.before), top);
  if (play.case.git) commit(top);
  await playSteps(stepsOf(play, play.case.after_commit), top);
}

function commit(top: string): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: top, env: environment() });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--no-verify", "--message", "The project as it was");
}

/** As npm would: the package, and its program in `.bin`. */
async function link(name: string, top: string): Promise<void> {
  const place = join(top, "node_modules", name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(await realpath(join(modules, name)), place);
  const { bin } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
  if (bin?.[name] === undefined) return;
  await mkdir(join(top, "node_modules/.bin"), { recursive: true });
  await symlink(join("..", name, bin[name]), join(top, "node_modules/.bin", name));
}
