import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { Checkout } from "@ccw-loop/core";
import { canSandbox } from "./room.ts";

/** Paths that may stand in any text of a program without more ado. */
const QUOTABLE = /^[^'"\\\n]+$/;
/** More entries of a project's top folder are not shown. */
const ENTRIES = 1000;

/** Where programs run with the files of a room. */
export interface Place {
  /** The project's root as they see it. */
  cwd: string;
  /** Words in front of a command; null where they see the room where it is. */
  wrap: string[] | null;
  /** A text with the room's path as they see it. */
  shown: (text: string) => string;
}

/**
 * The room at the project's own path, with the repository and all else that stands beside its files there, and what is
 * installed: as those who use the project have it. Without bubblewrap, the room where it is.
 */
export function placeOf(room: Checkout, hidden: readonly string[]): Place {
  const { cwd, project, top } = room;
  const wrap = QUOTABLE.test(project) && canSandbox() ? wrapping(room, hidden) : null;
  if (wrap === null) return { cwd, wrap, shown: (text) => text };
  const shown = (text: string) => text.replaceAll(top, project);
  return { cwd: shown(cwd), wrap, shown };
}

/** Null where the system refuses it. */
function wrapping(
  { cwd, project, top, linked }: Checkout,
  hidden: readonly string[],
): string[] | null {
  const beside = readdirSync(project)
    .map((name) => join(project, name))
    .filter((path) => !existsSync(join(top, relative(project, path))) && isPlain(path));
  const readable = [...beside.slice(0, ENTRIES), ...linked];
  const wrap = [
    ...["bwrap", "--dev-bind", "/", "/", "--bind", top, project],
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    ...hidden.filter((folder) => existsSync(folder)).flatMap((folder) => ["--tmpfs", folder]),
    ...["--chdir", join(project, relative(top, cwd)), "--die-with-parent", "--"],
  ];
  const [program = "", ...words] = wrap;
  const { status } = spawnSync(program, [...words, "true"], { stdio: "ignore", timeout: 10_000 });
  return status === 0 ? wrap : null;
}

function isPlain(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}
