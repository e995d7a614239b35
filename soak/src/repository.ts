import { execFileSync } from "node:child_process";

const AUTHOR = ["-c", "user.name=soak", "-c", "user.email=soak@localhost"];

/** Commits what lies there as a new git repository, so that loops which work at the same time get worktrees. */
export function makeRepository(root: string): void {
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "Start"],
  ]) {
    execFileSync("git", [...AUTHOR, ...args], { cwd: root });
  }
}
