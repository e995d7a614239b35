import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { foldersUp } from "@ccw-loop/processes/plain-file";

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
