import { spawnSync } from "node:child_process";

/**
 * Whether a program works on this machine: asked with these arguments it ends with exit code 0. A file of its name in
 * PATH says less; shims of rustup or pyenv are there without the program that they start.
 */
export function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

/** Skips a test where there is no working tmux; a build server must have it. */
export function needTmux(skip: (note: string) => void): void {
  if (works("tmux", "-V")) return;
  if (process.env.CI)
    throw new Error("tmux does not work here: nothing tests what a terminal shows.");
  skip("tmux does not work here; get it with: apt-get install tmux, or brew install tmux");
}
