import { git } from "../git/run.ts";
import type { RawPath } from "../raw-path.ts";

/** What git would do to a file's content on its way into the object store. */
export interface Filters {
  /** Programs (LFS and its like), all of them switched off by `config`. */
  drivers: ReadonlySet<string>;
  config: Readonly<Record<string, string>>;
  /** Whether line ends are converted in files that no attribute speaks of. */
  autocrlf: boolean;
  /** Whether objects of the repository may lie elsewhere (a partial clone). */
  partial: boolean;
}

const WANTED = "^(filter\\.|core\\.autocrlf$|extensions\\.partialclone$|remote\\..*\\.promisor$)";

/** From every configuration file that git reads here. */
export async function findFilters(top: string): Promise<Filters> {
  const { stdout } = await git(["config", "-z", "--get-regexp", WANTED], {
    cwd: top,
    answers: [1],
  });
  const set = stdout.split("\0").map((record) => {
    const end = record.indexOf("\n");
    return end < 0 ? [record, "true"] : [record.slice(0, end), record.slice(end + 1)];
  });
  const drivers = new Set(
    set
      .map(([key = ""]) => key)
      .filter((key) => key.startsWith("filter.") && key.lastIndexOf(".") > "filter.".length)
      .map((key) => key.slice("filter.".length, key.lastIndexOf("."))),
  );
  const config: Record<string, string> = {};
  for (const driver of drivers) {
    const text = Buffer.from(driver, "latin1").toString("utf8");
    for (const program of ["clean", "smudge", "process"]) config[`filter.${text}.${program}`] = "";
    config[`filter.${text}.required`] = "false";
  }
  const autocrlf = set.findLast(([key]) => key === "core.autocrlf")?.[1] ?? "false";
  const partial = set.some(([key = ""]) => /^extensions|promisor$/.test(key));
  return { drivers, config, partial, autocrlf: !/^(false|no|off|0|)$/i.test(autocrlf) };
}

/** Paths whose content in the object store is not, or may not be, what lies in the folder. */
export interface Converted {
  /** By a program: path and driver. */
  filtered: Map<RawPath, string>;
  /** By git itself: line ends, encodings, `$Id$`. */
  rewritten: Set<RawPath>;
}

export async function convertedPaths(
  top: string,
  { drivers, config, autocrlf }: Filters,
  paths: readonly RawPath[],
): Promise<Converted> {
  const found: Converted = { filtered: new Map(), rewritten: new Set(autocrlf ? paths : []) };
  if (paths.length === 0) return found;
  const { stdout } = await git(["check-attr", "-z", "--stdin", "-a"], {
    cwd: top,
    config,
    input: paths,
  });
  const fields = stdout.split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", attribute = "", value = ""] = fields.slice(at, at + 3);
    if (attribute === "filter" && drivers.has(value)) found.filtered.set(path, value);
    else if (attribute === "text" && value === "unset") found.rewritten.delete(path);
    else if (REWRITING.has(attribute) && value !== "unset") found.rewritten.add(path);
  }
  return found;
}

const REWRITING = new Set(["text", "eol", "crlf", "ident", "working-tree-encoding"]);
