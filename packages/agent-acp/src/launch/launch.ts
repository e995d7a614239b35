import { delimiter, isAbsolute, join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { agentEnvironment, projectFolder } from "@ccw-loop/processes/agent-policy";
import { isProgram } from "@ccw-loop/processes/programs";
import { allowsAll } from "./asking.ts";
import type { Profile } from "./profiles.ts";

/** How an agent is started. */
export interface Launch {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absolute, without links. */
  cwd: string;
}

/** What is the same for every agent: no colors, no questions to a terminal. */
const PLAIN_OUTPUT = { NO_COLOR: "1", TERM: "dumb" };

/**
 * Finds the program and the folder; `wrapper` are words in front of the agent's, which start it elsewhere. Throws
 * `agent_unavailable` where one of them is missing, and says what installs it.
 */
export async function launchOf(
  profile: Profile,
  wantedCwd: string,
  source: Readonly<Record<string, string | undefined>>,
  wrapper: readonly string[] = [],
): Promise<Launch> {
  const cwd = await projectFolder(wantedCwd);
  const [program = "", ...args] = [...wrapper, ...profile.command];
  const file = findProgram(program, source.PATH ?? "");
  if (file === null)
    throw wrapper.length === 0 ? missing(profile, program, cwd) : noWrapper(program);
  const passed = Object.entries(agentEnvironment(source, profile.passEnv));
  const env = {
    ...Object.fromEntries(passed.filter(([name]) => !allowsAll(name))),
    ...{ ...PLAIN_OUTPUT, ...profile.env },
  };
  return { file, args, env, cwd };
}

/** The file of a program by its name on `path`, or by its absolute path; null where there is none. */
export function findProgram(name: string, path: string): string | null {
  const places = isAbsolute(name)
    ? [name]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, name));
  return places.find(isProgram) ?? null;
}

function noWrapper(program: string): LoopError {
  const message = `There is no ${program} on PATH to start the agent in its container. Install it, or correct: --sandbox container:…`;
  return new LoopError("agent_unavailable", message);
}

function missing({ title, npm }: Profile, program: string, cwd: string): LoopError {
  const isInProject = isProgram(join(cwd, "node_modules", ".bin", program));
  const where = isAbsolute(program)
    ? `${program} is no program`
    : `there is no ${program} on PATH${isInProject ? ", and the one in this project is not taken: agents may write to that" : ""}`;
  const next = npm === null ? "Correct its command." : `Install it with "${installCommand(npm)}".`;
  return new LoopError("agent_unavailable", `${title} was not found: ${where}. ${next}`);
}

/** The line that installs an agent; it is shown to people and never run. */
function installCommand(npm: string): string {
  return `npm install -g ${npm}`;
}
