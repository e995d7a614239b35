import { isInside } from "../plain-file.ts";
import { namesOnlyInside, namesProtected } from "./shell-script.ts";

export interface Decision {
  decision: "accept" | "decline";
  /** In a few words, for people. */
  because: string;
}

/** The project that an agent works on, as far as its questions are about it. */
export interface ProjectRules {
  /** Absolute, without links. */
  cwd: string;
  /** Names of folders below `cwd` that the agent is not to change. */
  protect: readonly string[];
  /** Whether a sandbox keeps its commands from writing elsewhere. */
  confined: boolean;
}

/** Hooks and settings that would run later, with nobody asked. */
const MACHINERY = [".git", ".codex", ".claude", ".gemini", ".qwen", ".opencode"];

/**
 * The stated policy: nobody sits in front of an agent, so every question is answered at once, and by rule.
 *
 * - A dangerous command (`rm -rf build`) that stays in the sandbox is accepted: the sandbox holds it.
 * - Without a sandbox it is accepted only if it plainly names nothing outside the project.
 * - What names a protected folder is declined, in a sandbox as well, which would not let it write there.
 */
export function decideCommand(
  command: string,
  folder: string,
  { cwd, protect, confined }: ProjectRules,
): Decision {
  if (command === "") return decline("it does not tell which command");
  if (!isInside(cwd, folder)) return decline("it starts outside of the project");
  const kept = protect.map((name) => `${cwd}/${name}`);
  if (namesProtected(kept, folder, command)) return decline("it names a protected folder");
  if (confined) return accept("the sandbox holds it");
  return namesOnlyInside(cwd, folder, command)
    ? accept("it names nothing outside of the project")
    : decline("without a sandbox it may reach outside of the project");
}

/** The same for an edit of files, by their absolute paths without links. */
export function decideFiles(paths: readonly string[], { cwd, protect }: ProjectRules): Decision {
  if (paths.length === 0) return decline("it does not tell which files");
  const kept = [...MACHINERY, ...protect].map((name) => `${cwd}/${name}`);
  const outside = paths.find(
    (path) => !isInside(cwd, path) || kept.some((folder) => isInside(folder, path)),
  );
  return outside === undefined
    ? accept("every file is in the project")
    : decline(`${outside} is not a file to change`);
}

export function accept(because: string): Decision {
  return { decision: "accept", because };
}

export function decline(because: string): Decision {
  return { decision: "decline", because };
}
