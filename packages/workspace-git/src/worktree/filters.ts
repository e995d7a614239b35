import { git } from "../git/run.ts";

/** What git would do to a file's content on its way into the object store. */
export interface Filters {
  /** Programs (LFS and its like), all of them switched off by `config`. */
  drivers: ReadonlySet<string>;
  config: Readonly<Record<string, string>>;
}

const WANTED = "^filter\\.";

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
  return { drivers, config };
}
