/** A program that drives an agent until some work is said to be done, and how it is set up at its strictest. */
export interface Tool {
  name: string;
  /** What is installed from the registry, or the packages of this repository; empty for a loop that is written by hand. */
  packages: readonly string[] | "ours";
  /** The arguments of npm besides, with the reason in the list of tools. */
  installFlags?: readonly string[];
  /** The command that prints its version; null for a library. */
  version: ((places: Places) => readonly string[]) | null;
  /** Files that a user writes once, by their path below the project. */
  files?: Readonly<Record<string, string>>;
  /** Files below the home. */
  homeFiles?: (places: Places) => Readonly<Record<string, string>>;
  /** The shell command that does the work in the project. */
  command: (places: Places) => string;
  /** Sentences of the agent that the tool listens for: `open` until its last edit, `done` with it. */
  says: { done: string; open?: string };
  /** It asks the agent so often about each edit; 1 without it. */
  callsPerEdit?: number;
  /** Whether it says that the work is done. */
  isDone: (ended: { exit: number | null; project: string }) => boolean;
}

export interface Places {
  /** Where the packages of this tool are installed: the folder with its `node_modules`. */
  installed: string;
  /** The built command line of this repository. */
  launcher: string;
  /** The program that plays the agent. */
  agent: string;
  /** A folder beside the project, for files that the tool needs there. */
  beside: string;
}

export const TASK = "Fix the failing tests of the shopping cart.";
export const exitsWithZero: Tool["isDone"] = ({ exit }) => exit === 0;
