import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The command line: the built copy of the whole test run; without one, its sources. */
export const BIN = join(
  process.env.CCW_LOOP_BUILT ?? join(import.meta.dirname, "../../../../packages/cli"),
  "bin/ccw-loop.js",
);

/** `ccw-loop serve` as a process of its own, which listens. */
export interface Serving {
  url: string;
  token: string;
  /** By KILL unless another signal is named; resolves when it is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Of a user whose home it is: the token is kept there. */
export function environmentOf(home: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: home, XDG_CONFIG_HOME: "", NO_COLOR: "1" };
}

export function tokenFileIn(home: string): string {
  return join(home, ".config", "ccw-loop", "token");
}

/** Starts it in a folder, on any free port unless `args` name one. Throws with what it printed when it does not listen. */
export async function startServe(cwd: string, home: string, ...args: string[]): Promise<Serving> {
  const child = spawn(process.execPath, [BIN, "serve", "--port", "0", ...args], {
    ...{ cwd, env: environmentOf(home) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = once(child, "exit");
  let printed = "";
  for await (const line of createInterface(child.stderr)) {
    const [, url] = /^Listening at (\S+)$/.exec(line) ?? [];
    printed += `${line}\n`;
    if (url === undefined) continue;
    child.stderr.resume();
    return {
      url,
      token: readFileSync(tokenFileIn(home), "utf8").trim(),
      async end(signal = "SIGKILL") {
        child.kill(signal);
        await gone;
      },
    };
  }
  throw new Error(`It does not listen: ${printed}`);
}
