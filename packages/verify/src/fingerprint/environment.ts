import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { delimiter } from "node:path";

/** Variables that say who and where somebody is, or what runs us, and nothing about the tests. */
const MEANINGLESS = new RegExp(
  `^(${[
    "PWD|OLDPWD|SHLVL|_|TMPDIR|TMP|TEMP|GOTMPDIR|TERM|TERM_.*|COLORTERM|COLUMNS|LINES|USER|LOGNAME|HOSTNAME",
    "XDG_(RUNTIME_DIR|SESSION_.*|SEAT|VTNR)|DISPLAY|WINDOWID|INIT_CWD|CCW_LOOP_.*",
    "npm_(package|lifecycle)_.*|npm_(command|execpath|node_execpath)",
    "npm_config_(user_agent|local_prefix|global_prefix|prefix|globalconfig|userconfig|init_module|node_gyp|cache)",
    "PNPM_(SCRIPT_SRC_DIR|PACKAGE_NAME)|COREPACK_ROOT",
    "NODE_(TEST_CONTEXT|V8_COVERAGE|CHANNEL_FD|UNIQUE_ID)|VITEST.*|JEST_WORKER_ID",
  ].join("|")})$`,
);

/** Folders that a project puts in front of the PATH: their place tells nothing, and their programs have fingerprints. */
const PROJECT_FOLDER = /[/\\](node_modules[/\\]\.bin|\.venv[/\\](bin|Scripts))$/;

/**
 * SHA-256 (hex) of what tests are started with: every variable with its value, sorted by name, the platform, the
 * architecture, and the version of Node that runs us. Left out: where and who one is (PWD, TMPDIR, USER, TERM, …), what
 * a package manager or a test runner sets for what it starts, our own `CCW_LOOP_…`, the project's own folders in PATH,
 * and from `NODE_OPTIONS` what names a temporary folder or a test reporter.
 */
export function environmentDigest(env: Readonly<Record<string, string>>): string {
  const variables = Object.entries(env)
    .filter(([name]) => !MEANINGLESS.test(name))
    .map(([name, value]) => `${name}=${plainValue(name, value)}`)
    .sort();
  const hash = createHash("sha256");
  const facts = [process.platform, process.arch, process.version, ...variables];
  for (const fact of facts) hash.update(fact).update("\0");
  return hash.digest("hex");
}

function plainValue(name: string, value: string): string {
  if (name === "PATH") {
    const folders = value.split(delimiter).filter((one) => one !== "" && !PROJECT_FOLDER.test(one));
    return folders.join(delimiter);
  }
  if (name !== "NODE_OPTIONS") return value;
  const words = value.split(/\s+/).filter(Boolean);
  return words.filter((word) => !word.includes(tmpdir()) && !REPORTER.test(word)).join(" ");
}

const REPORTER = /^--test-reporter/;
