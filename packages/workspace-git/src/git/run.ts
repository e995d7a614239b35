import { pathOutside } from "@ccw-loop/processes/programs";
import { execa } from "execa";
import { bytesOf, type RawPath } from "../raw-path.ts";
import { gitFailure, gitNotStarted, gitSilent } from "./errors.ts";

/** Configuration that overrides the repository's own: nothing of it starts a program or writes beside us. */
const CONFIG: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.untrackedCache": "false",
  "core.splitIndex": "false",
  "core.safecrlf": "false",
  // How changed files are recognised is not for the repository to weaken.
  "core.trustctime": "true",
  "core.checkStat": "default",
  // Whoever writes it could name other trees and parents.
  "core.commitGraph": "false",
  "core.ignoreStat": "false",
  "diff.external": "",
  "gc.auto": "0",
  "protocol.allow": "never",
  "submodule.recurse": "false",
};

export interface GitOptions {
  cwd: string;
  /** More configuration for this call. */
  config?: Readonly<Record<string, string>>;
  /** `GIT_INDEX_FILE` and its like. */
  env?: Readonly<Record<string, string>>;
  /** Records for its standard input, one character per byte. */
  input?: readonly RawPath[];
  /** What ends each of them; NUL unless told. */
  ended?: "\0" | "\n" | "";
  /** Exit codes beside 0 that are an answer. */
  answers?: readonly number[];
  /** Bytes of output after which git is ended and the answer is `cut`. */
  most?: number;
  /** Ends git; its reason is thrown. Without it git is ended when it does not answer for two minutes. */
  signal?: AbortSignal;
}

export interface GitAnswer {
  exitCode: number;
  /** One character per byte. */
  stdout: string;
  /** For people; what git says beside its answer. */
  stderr: string;
  cut: boolean;
}

const MOST = 512 * 1024 * 1024;
/** Git answers sooner, or waits for a pipe that somebody put in the place of a file. */
export const LONGEST_MS = 120_000;

/**
 * Runs one git command for its answer. The caller's own `GIT_…` variables do not reach it; it asks nobody
 * anything, takes no optional lock, and does not talk to other machines. Throws `store_unavailable` where it could not
 * write, `system_unavailable` where the system lacks something, else `workspace_unavailable`.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<GitAnswer> {
  const { cwd, config = {}, env = {}, input, ended = "\0", answers = [], most } = options;
  const result = await execa("git", args, {
    cwd,
    extendEnv: false,
    env: gitEnvironment(cwd, { config, env }),
    encoding: "latin1",
    maxBuffer: most ?? MOST,
    stripFinalNewline: false,
    reject: false,
    ...(options.signal ? { cancelSignal: options.signal } : { timeout: LONGEST_MS }),
    ...(input
      ? { input: bytesOf(input.map((record) => `${record}${ended}`).join("")) }
      : { stdin: "ignore" }),
  });
  const { exitCode, stdout = "", stderr = "", isMaxBuffer } = result;
  if (result.isCanceled) throw options.signal?.reason;
  if (result.timedOut) throw gitSilent(args, cwd, LONGEST_MS);
  if (isMaxBuffer && most !== undefined) return { exitCode: 0, stdout, stderr, cut: true };
  if (exitCode === undefined && result.signal === undefined) throw gitNotStarted(cwd, result.cause);
  if (exitCode !== undefined && (exitCode === 0 || answers.includes(exitCode))) {
    return { exitCode, stdout, stderr, cut: false };
  }
  throw gitFailure(args, cwd, result);
}

/** The whole environment of a git command of ours in that folder. Git itself is none that agents could have put there. */
export function gitEnvironment(
  cwd: string,
  { config = {}, env = {} }: Pick<GitOptions, "config" | "env">,
): Record<string, string> {
  return { ...inherited(cwd), ...configured({ ...CONFIG, ...config }), ...env };
}

function inherited(cwd: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.toUpperCase().startsWith("GIT_")) env[name] = value;
  }
  return {
    ...env,
    ...(env.PATH === undefined ? {} : { PATH: pathOutside(env.PATH, [cwd]) }),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_GRAFT_FILE: "/dev/null",
    // An object is its content, whatever refs/replace says.
    GIT_NO_REPLACE_OBJECTS: "1",
  };
}

/** By environment and not by `-c`: a name that holds `=` would be cut there. */
function configured(config: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(config);
  const numbered = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: `${entries.length}`, ...Object.fromEntries(numbered) };
}
