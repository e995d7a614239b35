import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders = new Set<string>();
// An interrupted run leaves nothing behind.
process.once("exit", () => {
  for (const folder of folders) removeFolder(folder);
});

/** A new folder that is gone at the latest when this process ends. */
export function temporaryFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `ccw-loop-${name}-`)));
  folders.add(folder);
  return folder;
}

/** Leaves it to whoever wants to look into it. */
export function keepFolder(folder: string): void {
  folders.delete(folder);
}

export function removeFolder(folder: string): void {
  folders.delete(folder);
  for (const path of [folder, `${folder}.worktrees`]) {
    rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  }
}
