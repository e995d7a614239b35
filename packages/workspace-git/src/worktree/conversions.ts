import { join } from "node:path";
import { readPlain } from "@ccw-loop/processes/plain-file";
import { ownGit } from "../git/own-git.ts";
import type { Repository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { textOf } from "../raw-path.ts";

/** What git does to a file that is added, by itself and by programs of the user's, which are not run from here. */
export interface Conversions {
  /** The filters that are configured. */
  drivers: ReadonlySet<string>;
  /** Line ends and encodings, as the user's configuration and attributes ask for them. */
  config: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
}

const WANTED = "^(filter\\..*|core\\.(autocrlf|eol|attributesfile))$";
const MOST_BYTES = 1024 * 1024;

export async function conversionsOf(repository: Repository): Promise<Conversions> {
  const { top, hash, common } = repository;
  const asked = ["config", "-z", "--get-regexp", WANTED];
  const { stdout } = await git(asked, { cwd: top, answers: [1] });
  const drivers = new Set<string>();
  const config: Record<string, string> = {};
  for (const record of stdout.split("\0").filter((one) => one !== "")) {
    const end = record.indexOf("\n");
    const [key, value] = end < 0 ? [record, "true"] : [record.slice(0, end), record.slice(end + 1)];
    if (key.startsWith("core.")) config[key] = textOf(value);
    else drivers.add(key.slice("filter.".length, key.lastIndexOf(".")));
  }
  const attributes = readPlain(join(common, "info", "attributes"), { most: MOST_BYTES });
  return { drivers, config, env: await ownGit(top, hash, attributes?.toString("utf8") ?? "") };
}
