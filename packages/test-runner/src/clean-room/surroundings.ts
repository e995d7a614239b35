import { execFile } from "node:child_process";
import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Surroundings } from "@ccw-loop/core";
import { isInside } from "@ccw-loop/processes/plain-file";
import { testEnvironment } from "../process/environment.ts";
import { canHide, toolchainSettings } from "./sandbox.ts";

const run = promisify(execFile);
/** A search that takes longer is given up. */
const LONGEST_MS = 30_000;
const PRINTED_AT_MOST = 32 * 1024 * 1024;
/** Of an installation prefix, beside its `bin`: what its interpreters load. */
const LIBRARIES = ["python3", "node_modules", "ruby", "perl5"];
/** Variables that name more folders of such libraries. */
const LIBRARY_PATHS = ["NODE_PATH", "PYTHONPATH", "RUBYLIB", "GEM_HOME", "GEM_PATH", "PERL5LIB"];

/**
 * What clean rooms share with the machine and is newer than a moment: programs of the PATH, packages that are installed for
 * all projects or kept for them, settings of toolchains. When a file was changed last is what the system says, and no program
 * can set it. `changed` says that rooms have to show it, or that it cannot be told: no judgement, but a reason for
 * a run that is otherwise spared.
 */
export async function surroundingsSince(
  cwd: string,
  since: Date,
  extra: Readonly<Record<string, string>>,
): Promise<Surroundings> {
  const env = testEnvironment(process.env, cwd, extra);
  const outside = (folder: string) => existsSync(folder) && !isInside(cwd, folder);
  const foldersIn = (name: string) => (env[name] ?? "").split(delimiter).filter(outside);
  const bins = foldersIn("PATH");
  const more = [...LIBRARY_PATHS.flatMap(foldersIn), ...toolchainSettings(env)];
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-since-"));
  const moment = join(folder, "moment");
  try {
    await writeFile(moment, "");
    await utimes(moment, since, since);
    const newer = ["-newercm", moment, "(", "-type", "f", "-o", "-type", "l", ")", "-print0"];
    const found = await Promise.all([
      search(bins, ["-maxdepth", "1", ...newer]),
      search([...librariesBeside(bins), ...more], newer),
      pythonFolders(cwd, env).then((folders) => search(folders, newer)),
    ]);
    const paths = unitsOf([...new Set(found.flat())], since);
    return { since, newer: paths, changed: paths.length > 0 && !canHide(cwd) };
  } catch {
    return { since, newer: [], changed: true };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What find prints; rejects where it cannot look everywhere. */
async function search(folders: readonly string[], tests: readonly string[]): Promise<string[]> {
  const places = [...new Set(folders.map((folder) => realpathSync(folder)))];
  if (places.length === 0) return [];
  const options = { timeout: LONGEST_MS, maxBuffer: PRINTED_AT_MOST };
  const { stdout } = await run("find", [...places, ...tests], options);
  return stdout.split("\0").filter(Boolean);
}

/** Files; for those in a folder in which nothing is older than that, the uppermost such folder. */
function unitsOf(files: readonly string[], since: Date): string[] {
  const known = new Map<string, boolean>();
  // A folder itself may be newer than what is in it: where a layer of a container takes it over.
  const holdsOlder = (folder: string): boolean => {
    const found =
      known.get(folder) ??
      readdirSync(folder, { withFileTypes: true }).some((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? holdsOlder(path) : lstatSync(path).ctimeMs <= since.getTime();
      });
    known.set(folder, found);
    return found;
  };
  const isNew = (folder: string) =>
    lstatSync(folder).birthtimeMs > since.getTime() && !holdsOlder(folder);
  const unitOf = (file: string): string => {
    let unit = file;
    for (let at = dirname(file); at !== dirname(at) && isNew(at); at = dirname(at)) unit = at;
    return unit;
  };
  return [...new Set(files.map(unitOf))].sort();
}

async function pythonFolders(cwd: string, env: Record<string, string>): Promise<string[]> {
  const question =
    "import site, sysconfig; print('\\n'.join([sysconfig.get_path('stdlib'), *site.getsitepackages(), site.getusersitepackages()]))";
  const options = { cwd, env, timeout: LONGEST_MS };
  const { stdout } = await run("python3", ["-I", "-c", question], options).catch(() => ({
    stdout: "",
  }));
  return stdout.split("\n").filter((path) => path !== "" && existsSync(path));
}

function librariesBeside(bins: readonly string[]): string[] {
  const beside = bins
    .filter((bin) => bin.endsWith("/bin"))
    .flatMap((bin) => LIBRARIES.map((name) => join(dirname(bin), "lib", name)));
  // Go lies in one folder with its library, and only a link to it in the PATH.
  const go = bins.map((bin) => join(bin, "go")).filter(existsSync);
  const own = go.map((path) => join(dirname(dirname(realpathSync(path))), "src"));
  return [...beside, ...own].filter(existsSync);
}
