import { mkdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, normalize, relative } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { linkedWorktree } from "./trust.ts";

/** What the agent may read and not write, though it lies where it may write. */
export interface ProtectedFolders {
  /** Names below the project's folder; they may be missing as yet. */
  inside: readonly string[];
  /** The same ones of the main worktree, absolute: it may lie in a temporary folder, which can be written to. */
  elsewhere: readonly string[];
  /** Absolute, and not even read. */
  hidden: readonly string[];
}

export const NOTHING_PROTECTED: ProtectedFolders = { inside: [], elsewhere: [], hidden: [] };

/** Codex reads them as a pattern, and allows no pattern here. */
const PATTERN = /[*?[\]{}]/;

/**
 * Throws `invalid_input` for a name that does not lie below the project's folder or reads as a pattern,
 * `unsafe_path` where a link is in the way: somebody who may write to the project could turn it elsewhere.
 */
export async function protectedFolders(
  cwd: string,
  protect: readonly string[],
  hide: readonly string[] = [],
): Promise<ProtectedFolders> {
  const inside = protect.map((name) => normalize(name).replace(/[/\\]$/, ""));
  const wrong = inside.find(
    (name) => isAbsolute(name) || /^\.{0,2}$|^\.\.[/\\]/.test(name) || PATTERN.test(name),
  );
  if (wrong !== undefined) {
    throw new LoopError(
      "invalid_input",
      `"${wrong}" cannot be protected. Name a folder below the project's, without any of * ? [ ] { }.`,
    );
  }
  for (const path of inside.map((name) => join(cwd, name))) {
    if ((await realpath(path).catch(() => path)) === path) continue;
    throw new LoopError(
      "unsafe_path",
      `${path} is a link or lies behind one, so it cannot be kept from the agent. Put a real folder there.`,
    );
  }
  return {
    inside,
    elsewhere: await inMainWorktree(cwd, inside),
    hidden: await existing(hide.filter((path) => isAbsolute(path) && !PATTERN.test(path))),
  };
}

/** A sandbox does not keep what is missing from being made, at least not on every system. */
export async function makeFolders(cwd: string, { inside }: ProtectedFolders): Promise<void> {
  for (const path of inside.map((name) => join(cwd, name))) {
    if (await exists(path)) continue;
    await mkdir(path, { recursive: true }).catch((cause: unknown) => {
      throw new LoopError(
        "agent_unavailable",
        `The folder ${path} cannot be made. Make the project's folder writable.`,
        { cause },
      );
    });
  }
}

async function inMainWorktree(cwd: string, names: readonly string[]): Promise<string[]> {
  const linked = await linkedWorktree(cwd);
  if (!linked) return [];
  const counterpart = join(linked.main, relative(linked.top, cwd));
  const paths = names.map((name) => join(counterpart, name)).filter((path) => !PATTERN.test(path));
  return existing(paths);
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(exists));
  return paths.filter((_, i) => found[i]);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
