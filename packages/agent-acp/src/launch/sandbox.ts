import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import {
  type Bubblewrap,
  bubblewrapArguments,
  type Containment,
  containmentOf,
  findBubblewrap,
  holdPlaces,
  mountProblem,
} from "@ccw-loop/processes/containment";
import { homePaths } from "./homes.ts";
import { type Launch, launchOf } from "./launch.ts";
import type { Profile } from "./profiles.ts";

/**
 * Where an agent's process runs: as any program of its user (`off`); kept to the project and its own folders (`workspace`),
 * where `required` refuses to work without that; or behind the words of an operator that start it elsewhere (`container`).
 */
export type Sandbox =
  | { kind: "off" }
  | { kind: "workspace"; required: boolean }
  | { kind: "container"; command: readonly string[] };

export const DEFAULT_SANDBOX: Sandbox = { kind: "workspace", required: false };

/** What an agent that is not contained can do. */
export const UNCONTAINED =
  "It can write wherever you can, and read what you can read, the keys in the configuration of CCW Loop included.";

/** What confines an agent, for further commands to be confined alike. */
export interface Contained {
  bubblewrap: string;
  containment: Containment;
}

export interface SandboxedLaunch extends Launch {
  /** As `Launch` would have it without a sandbox. */
  program: string;
  /** Null where nothing that we know of confines it. */
  contained: Contained | null;
  /** Why it is not contained although it should be, as sentences. */
  warning: string | null;
  /** Gives up what was made for its sandbox; when nothing of it runs any more. */
  release: () => Promise<void>;
}

export interface SandboxSpec {
  profile: Profile;
  sandbox: Sandbox;
  /** Names of folders below the project's. */
  protect: readonly string[];
  /** Folders that it is not even to read. */
  hidden: readonly string[];
  /** It may write to nothing of the project. */
  readOnly?: boolean;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Throws like `launchOf` and `containmentOf`, and `sandbox_unavailable` where a sandbox that is required does not work. One
 * that works on this machine, and not in this project, is required as well: an agent could have seen to that.
 */
export async function sandboxedLaunch(spec: SandboxSpec, cwd: string): Promise<SandboxedLaunch> {
  const { profile, sandbox, protect, hidden, readOnly = false, env } = spec;
  const wrapper = sandbox.kind === "container" ? sandbox.command : [];
  const launch = await launchOf(profile, cwd, env, wrapper);
  const nothing = async () => undefined;
  const open = {
    ...{ ...launch, program: launch.file },
    ...{ contained: null, warning: null, release: nothing },
  };
  if (sandbox.kind !== "workspace") return open;
  const command = [launch.file, ...launch.args];
  const homes = homePaths(profile.homes, env);
  const found = await bubblewrapFor(launch.cwd, homes, env.PATH ?? "");
  if ("problem" in found) {
    const message = `${profile.title} is not contained: ${found.problem}`;
    if (sandbox.required) throw unavailable(message);
    return { ...open, warning: `${message} ${UNCONTAINED}` };
  }
  const containment = containmentOf({
    ...{ cwd: launch.cwd, readOnly, protect, homes, hidden, command, env },
    nests: profile.ownSandbox,
  });
  const release = holdPlaces(containment);
  try {
    const problem = await mountProblem(found.file, containment);
    if (problem !== null) throw unavailable(`${profile.title} cannot be contained: ${problem}.`);
  } catch (error) {
    await release();
    throw error;
  }
  return {
    ...open,
    file: found.file,
    args: bubblewrapArguments(containment, command),
    // One that lies elsewhere is not there.
    env: { ...launch.env, TMPDIR: "/tmp" },
    contained: { bubblewrap: found.file, containment },
    release,
  };
}

async function bubblewrapFor(
  cwd: string,
  homes: readonly string[],
  path: string,
): Promise<Bubblewrap> {
  if (process.getuid?.() === 0 && statSync(cwd).uid !== 0) {
    return {
      problem: `Root has no rights in a sandbox over what belongs to another user, such as ${cwd}.`,
    };
  }
  return findBubblewrap(path, [cwd, ...homes]);
}

function unavailable(message: string): LoopError {
  const next = "Put that right, or let it work without a sandbox: --sandbox off";
  return new LoopError("sandbox_unavailable", `${message} ${next}`);
}

/** A folder that is not there is not protected, so the agent could make it. */
export function makeProtected(cwd: string, { sandbox, protect }: SandboxSpec): void {
  if (sandbox.kind !== "workspace" || !existsSync(cwd)) return;
  for (const name of protect) {
    try {
      mkdirSync(join(cwd, name), { recursive: true });
    } catch {
      // Where we cannot make it, the agent cannot.
    }
  }
}
