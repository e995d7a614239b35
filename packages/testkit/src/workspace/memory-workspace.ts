import { createHash } from "node:crypto";
import {
  type Diff,
  type FileChange,
  LoopError,
  type TreeHolder,
  type Workspace,
} from "@ccw-loop/core";

type Files = Record<string, string>;

/** Where the text files of a workspace lie; paths are relative. */
export interface TextFiles {
  /** Those of the moment, by path. */
  all(): Iterable<readonly [path: string, text: string]>;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Lays files into another folder; without it a checkout is an empty folder of that name. */
  lay?(folder: string, files: Readonly<Record<string, string>>): void;
}

/** The port over text files in memory, by path; whoever holds `files` may change them at any time. */
export function memoryWorkspace(files: Map<string, string>): Workspace {
  return textWorkspace("memory", {
    all: () => files,
    write: (path, text) => void files.set(path, text),
    remove: (path) => void files.delete(path),
  });
}

/** The port over text files, with everything that it keeps in memory. It has no worktrees. */
export function textWorkspace(kind: string, files: TextFiles): Workspace {
  const trees = new Map<string, Files>();
  const named = (content: Files): string => {
    const sorted = Object.fromEntries(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1)));
    const name = createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
    trees.set(name, sorted);
    return name;
  };
  const measure = (without: readonly string[] = []): string =>
    named(Object.fromEntries([...files.all()].filter(([path]) => !without.includes(path))));
  const filesOf = (name: string): Files => {
    const found = trees.get(name);
    if (found) return found;
    throw new LoopError("invalid_input", `This workspace knows no tree ${name}.`);
  };
  const changes = (from: string, to: string) => difference(filesOf(from), filesOf(to));
  return {
    kind,
    lacks: [],
    ...memoryClaims(() => performance.now())(() => true),
    tree: async (without) => measure(without),
    changes: async (from, to) => changes(from, to),
    async withChanges(onto, from, to) {
      const result = { ...filesOf(onto) };
      for (const { path } of changes(from, to)) copy(path, filesOf(to), result);
      return named(result);
    },
    untracked: async () => [...files.all()].map(([path]) => path),
    async checkpoint(_id, _n, _message, { without } = {}) {
      const tree = measure(without);
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
    async restore(commit, leaves = []) {
      const wanted = filesOf(commit);
      const changed = changes(measure(), commit).filter(({ path }) => !leaves.includes(path));
      for (const { path } of changed) {
        const text = wanted[path];
        if (text === undefined) files.remove(path);
        else files.write(path, text);
      }
      return changed;
    },
    async checkout(commit, folder, { overlay } = {}) {
      const laid = { ...filesOf(commit) };
      for (const path of overlay?.paths ?? []) {
        copy(path, filesOf(overlay?.commit ?? commit), laid);
      }
      files.lay?.(folder, laid);
      return { cwd: folder, top: folder, project: "", linked: [] };
    },
    paths: async (commit) => Object.keys(filesOf(commit)),
    commitOf: async () => null,
    installed: async () => "nothing",
    changedInstalled: async () => [],
    addWorktree: noWorktrees,
    commitWorktree: noWorktrees,
    removeWorktree: noWorktrees,
    worktrees: async () => [],
    adopt: async () => undefined,
    forget: async () => undefined,
  };
}

interface Held {
  holder: TreeHolder;
  until: number;
  lives: () => boolean;
  /** Until the first renewal: from whom it was taken. */
  from: TreeHolder[];
}

/**
 * Who works on the files of one folder, as each of its processes sees it: one that is gone has no claim any more, one that
 * is suspended has it until it expires.
 */
export function memoryClaims(
  now: () => number,
): (lives: () => boolean) => Pick<Workspace, "claim" | "holder"> {
  let held: Held | null = null;
  const working = () => (held?.lives() && held.until > now() ? held.holder : null);
  return (lives) => ({
    async claim(holder, ttlMs) {
      const before = held;
      const other = working();
      const isOwn = before !== null && isSame(before.holder, holder);
      if (other && !isOwn) {
        throw new LoopError("workspace_busy", `Loop ${other.loop} works on these files.`, {
          details: { top: "", holder: other },
        });
      }
      const latest = before?.lives() ? [before.holder] : [];
      const takenFrom = [...(before?.from ?? []), ...latest].filter((one) => !isSame(one, holder));
      const mine: Held = { holder, until: now() + ttlMs, lives, from: takenFrom };
      held = mine;
      return {
        takenFrom,
        async renew() {
          if (held !== mine) throw new LoopError("fenced", "Another loop works on these files.");
          mine.until = now() + ttlMs;
          mine.from = [];
        },
        async release() {
          if (held === mine) held = null;
        },
        async giveBack() {
          if (held === mine) held = takenFrom.length > 0 ? before : null;
        },
      };
    },
    holder: async () => working(),
  });
}

function isSame(a: TreeHolder, b: TreeHolder): boolean {
  return a.loop === b.loop && a.project === b.project;
}

/** Also that there is no such file. */
function copy(path: string, from: Files, to: Files): void {
  const text = from[path];
  if (text === undefined) delete to[path];
  else to[path] = text;
}

async function noWorktrees(): Promise<never> {
  throw new LoopError("invalid_input", "This workspace has no worktrees.");
}

function difference(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): FileChange[] => {
    if (before[path] === after[path]) return [];
    if (before[path] === undefined) return [{ path, kind: "added" }];
    return [{ path, kind: after[path] === undefined ? "deleted" : "modified" }];
  });
}
