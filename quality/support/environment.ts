import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { roomEnvironment } from "@ccw-loop/test-runner/clean-room";

const OUTPUT_MS = 120_000;
const AUTHOR = { name: "A bench", email: "bench@localhost" };

/** What everything here is started with: ours, without the settings of a person, of a test that runs us, and of `npm run`. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(CCW_LOOP_|GIT_|VITEST|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NODE_V8_COVERAGE$|PYTHON|CI$)/.test(
        name,
      ),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: pathWithoutOurTools(),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
    NO_COLOR: "1",
  };
}

/** `npm run` puts our own packages' programs first, which no project that is tried has. */
function pathWithoutOurTools(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.filter((one) => !/node_modules\/\.bin$|node-gyp-bin$/.test(one)).join(delimiter);
}

/**
 * The same for a loop and its agent: with a home of their own beside the project in `top`, so that what a project leaves
 * there reaches no other project and nobody's real home.
 */
export function isolatedEnvironment(top: string): NodeJS.ProcessEnv {
  const env = roomEnvironment(environment() as Record<string, string>, top);
  return { ...env, PYTHONUSERBASE: join(env.HOME ?? "", ".local") };
}

/** The exit code of a shell command; null when it took too long. */
export function exitOf(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv = environment(),
  timeout = 180_000,
): number | null {
  try {
    execFileSync("/bin/sh", ["-c", command], { cwd, env, stdio: "pipe", timeout });
    return 0;
  } catch (error) {
    const { status } = error as { status?: number | null };
    return status ?? null;
  }
}

/** What a shell command prints, without white space around it; empty where it fails. */
export function outputOf(command: string, cwd: string): string {
  try {
    return execFileSync("/bin/sh", ["-c", command], {
      ...{ cwd, env: environment(), timeout: OUTPUT_MS, encoding: "utf8" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
