import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { isInside, realPath } from "./plain-file.ts";

/** Where package managers put the programs of a project; npx and its like have such folders first on PATH. */
const OF_A_PROJECT = join(sep, "node_modules", ".bin");

/**
 * The folders of `path` in which a program of ours is looked for by its name: those that agents can write to, in the folders
 * `theirs` or in a project's packages, are left out, and so are folders that are counted from where we are.
 */
export function pathOutside(path: string, theirs: readonly string[]): string {
  const isTheirs = (place: string) =>
    place.endsWith(OF_A_PROJECT) || theirs.some((folder) => isInside(folder, place));
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .filter((place) => !isTheirs(resolve(place)) && !isTheirs(realPath(place)))
    .join(delimiter);
}

/** The file of a program of ours on `path`, as above; null where there is none, or only one that leads into `theirs`. */
export function ownProgram(name: string, path: string, theirs: readonly string[]): string | null {
  const places = pathOutside(path, theirs).split(delimiter).filter(isAbsolute);
  const isOurs = (file: string) =>
    isProgram(file) && !theirs.some((folder) => isInside(folder, realPath(file)));
  return places.map((folder) => join(folder, name)).find(isOurs) ?? null;
}

/** Whether a file can be run, links followed. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
