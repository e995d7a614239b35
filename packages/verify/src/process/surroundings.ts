import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { isInside } from "../files/inside.ts";
import { testEnvironment } from "./environment.ts";
import { toolchainSettings } from "./room.ts";

const run = promisify(execFile);
/** A search that takes longer is given up. */
const LONGEST_MS = 30_000;
/** Of an installation prefix, beside its `bin`: what its interpreters load. */
const LIBRARIES = ["python3", "node_modules", "ruby", "perl5"];

/**
 * Whether anything that clean rooms share with the machine may have changed since a moment: programs of the PATH, packages
 * that are installed for all projects, settings of toolchains. True where that cannot be told. Not a judgement:
 * it says that a run is needed which is otherwise spared.
 */
export async function surroundingsChanged(
  cwd: string,
  since: Date,
  extra: Readonly<Record<string, string>>,
): Promise<boolean> {
  const env = testEnvironment(process.env, cwd, extra);
  const bins = (env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => existsSync(folder) && !isInside(cwd, folder));
  const installed = [...(await pythonFolders(cwd, env)), ...librariesBeside(bins)];
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-since-"));
  const moment = join(folder, "moment");
  try {
    await writeFile(moment, "");
    await utimes(moment, since, since);
    const newer = ["-type", "f", "-newercm", moment, "-print", "-quit"];
    const found = await Promise.all([
      search(
        bins.map((bin) => `${bin}/`),
        ["-maxdepth", "1", ...newer],
      ),
      search([...installed, ...toolchainSettings(env)], newer),
    ]);
    return found.some(Boolean);
  } catch {
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether find prints anything; rejects where it cannot look everywhere and has found nothing. */
async function search(folders: readonly string[], tests: readonly string[]): Promise<boolean> {
  if (folders.length === 0) return false;
  const { stdout } = await run("find", [...folders, ...tests], { timeout: LONGEST_MS });
  return stdout !== "";
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
