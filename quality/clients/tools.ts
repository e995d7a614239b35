import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Which of the clients' tools there are on this machine. */
export interface Has {
  browser: boolean;
  bun: boolean;
}

/** The generator needs a TypeScript whose compiler is a library. */
const EVERYWHERE = { "@hey-api/openapi-ts": "0.99.0", typescript: "5.9.3" };
const ON_LINUX_X64 = { "@oven/bun-linux-x64": "1.4.5", "@sparticuz/chromium": "153.0.0" };

/** Installs what the clients are, from the registry, into an empty folder. */
export function installed(folder: string): Has {
  const isLinux = process.platform === "linux" && process.arch === "x64";
  const dependencies = { ...EVERYWHERE, ...(isLinux ? ON_LINUX_X64 : {}) };
  const manifest = { name: "clients", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  run("npm", ["install", ...quiet], { cwd: folder });
  return { browser: isLinux, bun: isLinux };
}

interface Options {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end; what it printed. Throws with everything it said when it fails. */
export function run(command: string, args: readonly string[], options: Options = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    encoding: "utf8",
    timeout: 120_000,
  });
  if (error === undefined && status === 0) return stdout;
  throw new Error(`${command} ${args[0]} ended with ${status ?? error}:\n${stdout}${stderr}`);
}
