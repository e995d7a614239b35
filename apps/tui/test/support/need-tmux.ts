import { spawnSync } from "node:child_process";

const isMissing = spawnSync("tmux", ["-V"]).error !== undefined;

/** Skips a test where there is no tmux; a build server must have it. */
export function needTmux(skip: (note: string) => void): void {
  if (!isMissing) return;
  if (process.env.CI) {
    throw new Error("tmux is missing: the terminal interface cannot be tested without it.");
  }
  skip("tmux is not installed; get it with: apt-get install tmux, or brew install tmux");
}
