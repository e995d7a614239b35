import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Diff, type FileChange, LoopError, type Workspace } from "@ccw-loop/core";

type Files = Readonly<Record<string, string>>;

/**
 * The port over a folder of text files, with everything kept in memory; worktrees it has none. The real ones have
 * their own tests, and the command line's run on them.
 */
export function folderWorkspace(dir: string): Workspace {
  const trees = new Map<string, Files>();
  const measure = (): string => {
    const files = filesIn(dir);
    const name = createHash("sha256").update(JSON.stringify(files)).digest("hex");
    trees.set(name, files);
    return name;
  };
  const filesOf = (name: string): Files => {
    const files = trees.get(name);
    if (files) return files;
    throw new LoopError("invalid_input", `This workspace knows no tree ${name}.`);
  };
  const changes = (from: string, to: string) => difference(filesOf(from), filesOf(to));
  return {
    kind: "folder",
    lacks: [],
    tree: async () => measure(),
    changes: async (from, to) => changes(from, to),
    async checkpoint() {
      const tree = measure();
      return { commit: tree, tree, skipped: [] };
    },
    async read(commit, paths) {
      const files = filesOf(commit);
      const found = paths.flatMap((path) => {
        const text = files[path];
        return text === undefined ? [] : [[path, new TextEncoder().encode(text)] as const];
      });
      return new Map(found);
    },
    async diff(from, to): Promise<Diff> {
      const files = changes(from, to).map((change) => ({ ...change, added: 1, removed: 0 }));
      return { files, patch: files.map(({ path }) => `+++ b/${path}\n`).join("") };
    },
    async restore(commit) {
      const wanted = filesOf(commit);
      const changed = changes(measure(), commit);
      for (const { path } of changed) {
        const text = wanted[path];
        if (text === undefined) rmSync(join(dir, path));
        else {
          mkdirSync(dirname(join(dir, path)), { recursive: true });
          writeFileSync(join(dir, path), text);
        }
      }
      return changed;
    },
    async checkout(commit, folder) {
      for (const [path, text] of Object.entries(filesOf(commit))) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      return folder;
    },
    addWorktree: noWorktrees,
    commitWorktree: noWorktrees,
    removeWorktree: noWorktrees,
    worktrees: async () => [],
    adopt: async () => undefined,
    forget: async () => undefined,
  };
}

async function noWorktrees(): Promise<never> {
  throw new LoopError("invalid_input", "This workspace has no worktrees.");
}

function filesIn(dir: string, prefix = ""): Files {
  const files: Record<string, string> = {};
  const entries = readdirSync(join(dir, prefix), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isFile()) files[path] = readFileSync(join(dir, path), "utf8");
    else if (entry.isDirectory() && entry.name !== ".workflow") {
      Object.assign(files, filesIn(dir, path));
    }
  }
  return files;
}

function difference(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): FileChange[] => {
    if (before[path] === after[path]) return [];
    if (before[path] === undefined) return [{ path, kind: "added" }];
    return [{ path, kind: after[path] === undefined ? "deleted" : "modified" }];
  });
}
