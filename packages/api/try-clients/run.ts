import { spawnSync } from "node:child_process";

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
