import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Workspace } from "@ccw-loop/core";
import { textWorkspace } from "./memory-workspace.ts";

/**
 * The port over a folder of text files, with everything kept in memory; worktrees it has none. The real ones have
 * their own tests, and the command line's run on them.
 */
export function folderWorkspace(dir: string): Workspace {
  return textWorkspace("folder", {
    all: () => filesIn(dir),
    write: (path, text) => put(dir, path, text),
    remove: (path) => rmSync(join(dir, path)),
    lay(folder, files) {
      for (const [path, text] of Object.entries(files)) put(folder, path, text);
    },
  });
}

function put(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function* filesIn(dir: string, prefix = ""): Iterable<[path: string, text: string]> {
  for (const entry of readdirSync(join(dir, prefix), { withFileTypes: true })) {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isFile()) yield [path, readFileSync(join(dir, path), "utf8")];
    else if (entry.isDirectory() && entry.name !== ".workflow") yield* filesIn(dir, path);
  }
}
