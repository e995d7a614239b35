import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { git } from "../git/run.ts";
import { type RawPath, records, textOf } from "../raw-path.ts";
import { unlessStalled } from "./stalled.ts";

/** How the files of a working tree are looked at. */
export interface Settings {
  /** As git takes configuration: what the file system can do, which is asked of it and not of the repository. */
  config: Readonly<Record<string, string>>;
  /** False where the file system does not know which files can be run. */
  fileMode: boolean;
  /** The user's own file of patterns of ignored files. */
  excludesFile: string;
}

/** `objects` is a folder of ours in the working tree at `top`. */
export async function readSettings(top: string, objects: string): Promise<Settings> {
  const asked = ["config", "--get", "core.excludesFile"];
  const { stdout } = await git(asked, { cwd: top, answers: [1] });
  const named = textOf(stdout).replace(/\n$/, "");
  const { XDG_CONFIG_HOME: own } = process.env;
  const usual = join(own || join(homedir(), ".config"), "git", "ignore");
  const fileMode = await knowsPrograms(objects);
  return {
    config: {
      "core.fileMode": `${fileMode}`,
      "core.ignoreCase": `${existsSync(join(top, ".GIT"))}`,
      "core.precomposeUnicode": `${process.platform === "darwin"}`,
      "core.longPaths": "true",
    },
    fileMode,
    excludesFile: named === "" ? usual : resolve(top, named.replace(/^~(?=\/)/, homedir())),
  };
}

/** Whether the file system keeps the right to run a file. */
async function knowsPrograms(folder: string): Promise<boolean> {
  const place = await mkdtemp(join(folder, "probe-"));
  const file = join(place, "file");
  try {
    const modes: number[] = [];
    for (const mode of [0o700, 0o600]) {
      await writeFile(file, "", { mode });
      await chmod(file, mode);
      modes.push((await stat(file)).mode & 0o100);
    }
    return modes[0] !== modes[1];
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Files outside of the working tree that say what is ignored; `info` is the repository's own folder `info`. */
export function ruleFiles({ excludesFile }: Settings, info: string): string[] {
  return [excludesFile, join(info, "exclude")];
}

/** Options of `git ls-files` for which files are ignored. */
export async function excludes(rules: readonly string[]): Promise<string[]> {
  const options = ["--exclude-per-directory=.gitignore"];
  for (const file of rules) {
    const found = await stat(file).catch(() => null);
    if (found?.isFile()) options.push(`--exclude-from=${file}`);
  }
  return options;
}

const CHECK = ["check-ignore", "-v", "-z", "--stdin", "--no-index"];

/** Which of the folders git ignores, whatever lies in them. */
export async function ignoredFolders(
  top: string,
  { config, excludesFile }: Settings,
  folders: readonly RawPath[],
): Promise<Set<RawPath>> {
  const { stdout } = await unlessStalled(top, (signal) =>
    git(CHECK, {
      ...{ cwd: top, config: { ...config, "core.excludesFile": excludesFile }, signal },
      ...{ input: folders, answers: [1] },
    }),
  );
  const told = records(stdout);
  const ignored = new Set<RawPath>();
  // Four records each: the file of the rule, its line, the rule, the path.
  for (let at = 0; at < told.length; at += 4) {
    if (!told[at + 2]?.startsWith("!")) ignored.add(told[at + 3] ?? "");
  }
  return ignored;
}
