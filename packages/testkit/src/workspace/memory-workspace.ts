import { createHash } from "node:crypto";
import { type Diff, type FileChange, LoopError, type Workspace } from "@ccw-loop/core";

type Files = Readonly<Record<string, string>>;

/**
 * The port over text files in memory, by path; whoever holds `files` may change them at any time. It has no worktrees
 * and checks out nothing.
 */
export function memoryWorkspace(files: Map<string, string>): Workspace {
  const trees = new Map<string, Files>();
  const measure = (): string => {
    const now = Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
    const name = createHash("sha256").update(JSON.stringify(now)).digest("hex");
    trees.set(name, now);
    return name;
  };
  const filesOf = (name: string): Files => {
    const found = trees.get(name);
    if (found) return found;
    throw new LoopError("invalid_input", `This workspace knows no tree ${name}.`);
  };
  const changes = (from: string, to: string) => difference(filesOf(from), filesOf(to));
  return {
    kind: "memory",
    lacks: [],
    tree: async () => measure(),
    changes: async (from, to) => changes(from, to),
    async checkpoint() {
      const tree = measure();
      return { commit: tree, tree, skipped: [] };
    },
    async read(commit, paths) {
      const kept = filesOf(commit);
      const found = paths.flatMap((path) => {
        const text = kept[path];
        return text === undefined ? [] : [[path, new TextEncoder().encode(text)] as const];
      });
      return new Map(found);
    },
    async diff(from, to): Promise<Diff> {
      const changed = changes(from, to).map((change) => ({ ...change, added: 1, removed: 0 }));
      return { files: changed, patch: changed.map(({ path }) => `+++ b/${path}\n`).join("") };
    },
    async restore(commit) {
      const wanted = filesOf(commit);
      const changed = changes(measure(), commit);
      for (const { path } of changed) {
        const text = wanted[path];
        if (text === undefined) files.delete(path);
        else files.set(path, text);
      }
      return changed;
    },
    checkout: nothingOf,
    addWorktree: nothingOf,
    commitWorktree: nothingOf,
    removeWorktree: nothingOf,
    worktrees: async () => [],
    adopt: async () => undefined,
    forget: async () => undefined,
  };
}

async function nothingOf(): Promise<never> {
  throw new LoopError("invalid_input", "This workspace is in memory alone.");
}

function difference(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): FileChange[] => {
    if (before[path] === after[path]) return [];
    if (before[path] === undefined) return [{ path, kind: "added" }];
    return [{ path, kind: after[path] === undefined ? "deleted" : "modified" }];
  });
}
