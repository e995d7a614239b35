import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { shellWord } from "@ccw-loop/core";

const LOCAL = join("node_modules", ".bin");

/** How the program in a folder of PATH is typed in `cwd`: npx has put the ones of a project there, a shell has not. */
export function commandFromPath(folder: string, program: string, cwd: string): string {
  return folder.endsWith(LOCAL) ? commandByPath(program, cwd) : "codex";
}

/** How a program that is not in PATH is typed in `cwd`. */
export function commandByPath(program: string, cwd: string): string {
  const isLocal = foldersAbove(cwd).some((folder) => existsSync(join(folder, LOCAL, "codex")));
  return isLocal ? "npx codex" : shellWord(program);
}

/** What installs Codex beside this program: in the project that has it, else for all of them. `ours` is a file of it. */
export function installCommand(cwd: string, ours: string = import.meta.filename): string {
  const isLocal = foldersAbove(cwd).some((folder) =>
    ours.startsWith(join(folder, "node_modules", sep)),
  );
  if (!isLocal) return "npm install -g @openai/codex";
  const byPnpm = ours.includes(join("node_modules", ".pnpm", sep));
  return `${byPnpm ? "pnpm add --save-dev" : "npm install --save-dev"} @openai/codex`;
}

/** The folder itself first. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}
