import type { RawPath } from "../raw-path.ts";
import { git } from "./run-git.ts";

/** Programs that git would run on a file's content (LFS and its like), all of them switched off. */
export interface Filters {
  drivers: ReadonlySet<string>;
  config: Readonly<Record<string, string>>;
}

/** The drivers of every configuration file that git reads here. */
export async function findFilters(top: string): Promise<Filters> {
  const { stdout } = await git(["config", "-z", "--name-only", "--get-regexp", "^filter\\."], {
    cwd: top,
    answers: [1],
  });
  const drivers = new Set(
    stdout
      .split("\0")
      .filter((key) => key.lastIndexOf(".") > "filter.".length)
      .map((key) => key.slice("filter.".length, key.lastIndexOf("."))),
  );
  const config: Record<string, string> = {};
  for (const driver of drivers) {
    const text = Buffer.from(driver, "latin1").toString("utf8");
    for (const program of ["clean", "smudge", "process"]) config[`filter.${text}.${program}`] = "";
    config[`filter.${text}.required`] = "false";
  }
  return { drivers, config };
}

/** Those of the paths whose content goes through one of the drivers. */
export async function filteredPaths(
  top: string,
  { drivers, config }: Filters,
  paths: readonly RawPath[],
): Promise<RawPath[]> {
  if (drivers.size === 0 || paths.length === 0) return [];
  const args = ["check-attr", "-z", "--stdin", "filter"];
  const { stdout } = await git(args, { cwd: top, config, input: paths });
  const fields = stdout.split("\0");
  const found: RawPath[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (drivers.has(fields[at + 2] ?? "")) found.push(fields[at] ?? "");
  }
  return found;
}
