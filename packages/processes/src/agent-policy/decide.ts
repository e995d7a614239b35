import { isInside } from "../plain-file.ts";
import { namedPaths } from "./named-paths.ts";

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

/** Where CCW Loop keeps what it knows of its loops: an agent must not write its own receipts. */
export const DEFAULT_PROTECT: readonly string[] = [".workflow"];

/** Hooks and settings that would run later, with nobody asked. */
const MACHINERY = [
  ...[".git", ".github/hooks", ".mcp.json"],
  ...[".codex", ".claude", ".gemini", ".qwen", ".opencode", "opencode.json", "opencode.jsonc"],
];

/**
 * The stated policy: nobody sits in front of an agent, so every question is answered at once, and by rule.
 *
 * - A dangerous command (`rm -rf build`) that stays in the sandbox is accepted: the sandbox holds it.
 * - Without a sandbox it is accepted only if all of it is plain, and names nothing outside of the project.
 * - What names a protected folder is declined, in a sandbox as well, which would not let it write there; without one
 *   that holds for hooks and settings, too.
 */
export function decideCommand(
  command: string,
  folder: string,
  { cwd, protect, confined }: ProjectRules,
): Decision {
  if (command === "") return decline("it does not tell which command");
  if (!isInside(cwd, folder)) return decline("it starts outside of the project");
  const named = namedPaths(folder, command);
  if (named === null) return decline("it changes its folder too often to be followed");
  const kept = keptIn(cwd, confined ? protect : [...MACHINERY, ...protect]);
  const touched = kept.find((one) => named.all.some((path) => isInside(one, path)));
  if (touched !== undefined) return decline(`it names ${touched}, which is protected`);
  const around = named.removed.find((path) => kept.some((one) => isInside(path, one)));
  if (around !== undefined) return decline(`it removes ${around} with what is protected in it`);
  if (confined) return accept("the sandbox holds it");
  if (named.opaque !== null) return decline(`only a shell knows what it does: it ${named.opaque}`);
  const outside = named.all.find((path) => !isInside(cwd, path));
  return outside === undefined
    ? accept("it names nothing outside of the project")
    : decline(`it may reach ${outside}, outside of the project`);
}

/** The same for an edit of files, or their removal, by their absolute paths without links. */
export function decideFiles(paths: readonly string[], { cwd, protect }: ProjectRules): Decision {
  if (paths.length === 0) return decline("it does not tell which files");
  const kept = keptIn(cwd, [...MACHINERY, ...protect]);
  const wrong = paths.find(
    (path) =>
      !isInside(cwd, path) || kept.some((one) => isInside(one, path) || isInside(path, one)),
  );
  return wrong === undefined
    ? accept("every file is in the project")
    : decline(`${wrong} is not a file to change`);
}

function keptIn(cwd: string, names: readonly string[]): string[] {
  return names.map((name) => `${cwd}/${name}`);
}

function accept(because: string): Decision {
  return { decision: "accept", because };
}

export function decline(because: string): Decision {
  return { decision: "decline", because };
}
