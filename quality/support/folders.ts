import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { environment } from "./environment.ts";

const folders = new Set<string>();
// An interrupted run leaves nothing behind.
process.once("exit", () => {
  for (const folder of folders) removeFolder(folder);
});

/** A new folder below `parent` that is gone at the latest when this process ends. */
export function temporaryFolder(name: string, parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, `ccw-loop-${name}-`)));
  folders.add(folder);
  return folder;
}

/** Leaves it to whoever wants to look into it. */
export function keepFolder(folder: string): void {
  folders.delete(folder);
}

/** With the worktrees beside it. */
export function removeFolder(folder: string): void {
  folders.delete(folder);
  for (const path of [folder, `${folder}.worktrees`]) {
    rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Writes each text to its path below the folder, in whatever folders that needs. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Commits what lies in the folder as a new git repository, whatever git is told on this machine. */
export function makeRepository(folder: string, message: string): void {
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    ["commit", "--quiet", "--no-verify", "--message", message],
  ]) {
    execFileSync("git", args, { cwd: folder, env: environment(), stdio: "pipe" });
  }
}
