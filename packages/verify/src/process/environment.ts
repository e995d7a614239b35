import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { foldersUp, isInside } from "@ccw-loop/processes/plain-file";
import { toolchainSettings } from "./sandbox.ts";

/** Variables that a test run needs from its surroundings, by name. */
const NAMES = new Set(
  (
    "PATH HOME LANG LANGUAGE TZ TMPDIR TMP TEMP USER LOGNAME SHELL TERM " +
    "VIRTUAL_ENV M2_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS SSL_CERT_FILE SSL_CERT_DIR " +
    "GEM_HOME GEM_PATH RUBYLIB RUBYOPT RBENV_ROOT RBENV_VERSION BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_WITHOUT " +
    "PERL5LIB PERL5OPT PHPRC PHP_INI_SCAN_DIR COMPOSER_HOME NUGET_PACKAGES PLAYWRIGHT_BROWSERS_PATH " +
    "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy " +
    "CCW_LOOP_DRIVES " +
    "SYSTEMROOT WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA USERPROFILE"
  ).split(" "),
);

/** … and by prefix: the tools' own settings. `GO` is spelled out, for GOOGLE_… is no setting of Go. */
const PREFIXES =
  /^(LC_|XDG_|NODE_|npm_config_|NPM_CONFIG_|PNPM_|YARN_|BUN_|COREPACK_|PYTHON|PYTEST_|PYENV_|CONDA_|UV_|CARGO_|DOTNET_|JAVA_|JDK_|MAVEN_|GRADLE_|CGO_|GO(PATH|ROOT|BIN|CACHE|MODCACHE|PROXY|FLAGS|ENV|OS|ARCH|WORK|SUMDB|PRIVATE|NOPROXY|NOSUMDB|TOOLCHAIN|TMPDIR|DEBUG|MAXPROCS|111MODULE)$)/;

/** Never handed on, whatever its prefix: it looks like a secret, or it belongs to the Node that runs us. */
const WITHHELD =
  /token|secret|passw|credential|auth|api_?key|private_?key|^NODE_(TEST_CONTEXT|V8_COVERAGE|CHANNEL_FD|UNIQUE_ID)/i;

/**
 * The environment of a test run: an allow-list of `source`, `CI=1`, and every `node_modules/.bin` (and
 * Python `.venv/bin`) from `cwd` upwards in front of PATH. What it leaves out can be given as `extra`.
 */
export function testEnvironment(
  source: NodeJS.ProcessEnv,
  cwd: string,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && isHandedOn(name)) env[name] = value;
  }
  const path = [...binFolders(cwd), env.PATH ?? ""].filter(Boolean).join(delimiter);
  return { ...env, CI: "1", PATH: path, ...extra };
}

/** Whether a variable of this name reaches the tests. */
function isHandedOn(name: string): boolean {
  return (NAMES.has(name) || PREFIXES.test(name)) && !WITHHELD.test(name);
}

function binFolders(cwd: string): string[] {
  const bins = foldersUp(cwd).map((folder) => join(folder, "node_modules", ".bin"));
  return [...bins, join(cwd, ".venv", "bin")].filter(existsSync);
}

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
