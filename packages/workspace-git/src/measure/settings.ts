import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { git } from "../git/run.ts";
import { textOf } from "../raw-path.ts";

/** What the user's configuration says about how the files of a working tree are looked at. */
export interface Settings {
  /** As git takes configuration; what a file system can do (case, the right to run a file) and nothing else. */
  config: Readonly<Record<string, string>>;
  /** False where the file system does not know which files can be run. */
  fileMode: boolean;
  /** The user's own file of patterns of ignored files. */
  excludesFile: string;
}

const PASSED = ["core.filemode", "core.ignorecase", "core.precomposeunicode", "core.longpaths"];
const WANTED = `^(${PASSED.map((key) => key.replace(".", "\\.")).join("|")}|core\\.excludesfile)$`;

/** From every configuration file that git reads here. */
export async function readSettings(top: string): Promise<Settings> {
  const { stdout } = await git(["config", "-z", "--get-regexp", WANTED], {
    cwd: top,
    answers: [1],
  });
  const set = new Map(
    stdout.split("\0").map((record): [string, string] => {
      const end = record.indexOf("\n");
      return end < 0 ? [record, "true"] : [record.slice(0, end), record.slice(end + 1)];
    }),
  );
  const config = Object.fromEntries([...set].filter(([key]) => PASSED.includes(key)));
  const { XDG_CONFIG_HOME: own } = process.env;
  const usual = join(own || join(homedir(), ".config"), "git", "ignore");
  const excludesFile = textOf(set.get("core.excludesfile") ?? "");
  return {
    config,
    fileMode: !/^(false|no|off|0)$/i.test(config["core.filemode"] ?? "true"),
    excludesFile:
      excludesFile === "" ? usual : resolve(top, excludesFile.replace(/^~(?=\/)/, homedir())),
  };
}

/** Options of `git ls-files` for which files are ignored; `info` is the repository's own folder `info`. */
export async function excludes({ excludesFile }: Settings, info: string): Promise<string[]> {
  const options = ["--exclude-per-directory=.gitignore"];
  for (const file of [excludesFile, join(info, "exclude")]) {
    const found = await stat(file).catch(() => null);
    if (found?.isFile()) options.push(`--exclude-from=${file}`);
  }
  return options;
}
