import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import {
  bubblewrapArguments,
  type Containment,
  containmentOf,
  findBubblewrap,
} from "@ccw-loop/processes/containment";
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
}

export interface SandboxSpec {
  profile: Profile;
  sandbox: Sandbox;
  /** Names of folders below the project's. */
  protect: readonly string[];
  /** Folders that it is not even to read. */
  hidden: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Throws like `launchOf`, and `sandbox_unavailable` where a sandbox that is required does not work. */
export async function sandboxedLaunch(spec: SandboxSpec, cwd: string): Promise<SandboxedLaunch> {
  const { profile, sandbox, protect, hidden, env } = spec;
  const wrapper = sandbox.kind === "container" ? sandbox.command : [];
  const launch = await launchOf(profile, cwd, env, wrapper);
  const open = { ...launch, program: launch.file, contained: null, warning: null };
  if (sandbox.kind !== "workspace") return open;
  const command = [launch.file, ...launch.args];
  const homes = profile.homes.flatMap((home) => homeAt(home, env));
  const containment = containmentOf({ cwd: launch.cwd, protect, homes, hidden, command, env });
  const found = await findBubblewrap(env.PATH ?? "", containment);
  if ("problem" in found) {
    const message = `${profile.title} is not contained: ${found.problem}`;
    const next = "Let it work without a sandbox: --sandbox off";
    if (sandbox.required) throw new LoopError("sandbox_unavailable", `${message} ${next}`);
    return { ...open, warning: `${message} ${UNCONTAINED}` };
  }
  return {
    ...open,
    file: found.file,
    args: bubblewrapArguments(containment, command),
    // One that lies elsewhere is not there.
    env: { ...launch.env, TMPDIR: "/tmp" },
    contained: { bubblewrap: found.file, containment },
  };
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

/** `~/.mine` and `$MINE_HOME/data`; nothing where the variable is not set. */
function homeAt(home: string, env: SandboxSpec["env"]): string[] {
  const [, name, rest = ""] = /^(?:\$(\w+)|~)(\/.*)?$/.exec(home) ?? [];
  const isNamed = home.startsWith("$") || home.startsWith("~");
  if (!isNamed) return isAbsolute(home) ? [home] : [];
  const base = name === undefined ? (env.HOME ?? homedir()) : env[name];
  return base === undefined || !isAbsolute(base) ? [] : [join(base, rest)];
}
