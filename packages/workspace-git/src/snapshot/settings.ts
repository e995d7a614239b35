import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Repository } from "../git/repository.ts";
import { type RawPath, rawOf, textOf } from "../raw-path.ts";
import type { Filters } from "./filters.ts";
import type { LookedInto } from "./folders.ts";

/** Folders in which git's settings for the whole machine lie, as it is built usually. */
const SYSTEM = ["/etc", "/usr/local/etc", "/opt/homebrew/etc"];

/** The files outside of the working tree, by absolute path, that say what git looks at and how; most do not exist. */
export function settingFiles(
  { gitDir, index, objects }: Repository,
  { excludesFile }: Filters,
): RawPath[] {
  const common = dirname(objects);
  const files = [
    index,
    join(gitDir, "config.worktree"),
    join(gitDir, "info/sparse-checkout"),
    join(common, "config"),
    join(common, "info/exclude"),
    join(homedir(), ".gitconfig"),
    ...userFiles("config"),
    ...userFiles("ignore"),
    ...SYSTEM.map((folder) => join(folder, "gitconfig")),
    ...attributeFiles(common),
  ];
  if (excludesFile !== null) files.push(inHome(textOf(excludesFile)));
  return files.map(rawOf);
}

/** Whether git may do something to a file's content because of its attributes. */
export function mayHaveAttributes(
  { objects }: Repository,
  { attributes, autocrlf }: Filters,
  lookedInto: LookedInto | null,
): boolean {
  if (attributes || autocrlf || lookedInto === null || lookedInto.attributes) return true;
  return attributeFiles(dirname(objects)).some((file) => existsSync(file));
}

function attributeFiles(common: string): string[] {
  return [
    join(common, "info/attributes"),
    ...userFiles("attributes"),
    ...SYSTEM.map((folder) => join(folder, "gitattributes")),
  ];
}

function userFiles(name: string): string[] {
  const { XDG_CONFIG_HOME } = process.env;
  const folders = [join(homedir(), ".config"), ...(XDG_CONFIG_HOME ? [XDG_CONFIG_HOME] : [])];
  return folders.map((folder) => join(folder, "git", name));
}

function inHome(path: string): string {
  return resolve(homedir(), path.replace(/^~\//, ""));
}
