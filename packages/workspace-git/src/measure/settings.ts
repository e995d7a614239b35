import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { git } from "../git/run.ts";
import { textOf } from "../raw-path.ts";

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

/** Options of `git ls-files` for which files are ignored; `info` is the repository's own folder `info`. */
export async function excludes({ excludesFile }: Settings, info: string): Promise<string[]> {
  const options = ["--exclude-per-directory=.gitignore"];
  for (const file of [excludesFile, join(info, "exclude")]) {
    const found = await stat(file).catch(() => null);
    if (found?.isFile()) options.push(`--exclude-from=${file}`);
  }
  return options;
}
