import type { Processes } from "@ccw-loop/processes";
import type { Profile } from "./launch/profiles.ts";
import type { Sandbox } from "./launch/sandbox.ts";

/** How long the agent is waited for. Milliseconds. */
export interface AcpLimits {
  /** Its first answer; it may unpack itself before that. */
  initializeMs: number;
  /** A session must have been opened by then. */
  openMs: number;
  /** Any other request must have been answered by then. */
  requestMs: number;
  /** Quiet time of a turn, with no tool at work, that counts as hung. */
  silenceMs: number;
  /** Quiet time of a turn while a command or another tool is at work. */
  commandMs: number;
  /** So long after a cancel the processes of the turn are ended without waiting for its answer. */
  cancelMs: number;
  /** So long after a cancel an agent that has not answered is ended itself. */
  cancelEndMs: number;
  /** It may take so long to leave by itself, and again after SIGTERM. */
  closeMs: number;
}

export const DEFAULT_ACP_LIMITS: AcpLimits = {
  initializeMs: 60_000,
  openMs: 90_000,
  requestMs: 30_000,
  silenceMs: 10 * 60_000,
  commandMs: 20 * 60_000,
  cancelMs: 3_000,
  cancelEndMs: 10_000,
  closeMs: 2_000,
};

export interface AcpOptions {
  /** Which agent: one of `PROFILES`, or one that `commandProfile` made. */
  profile: Profile;
  /** Folders below the project's that it is refused to write to, `.workflow` unless given. */
  protect?: readonly string[];
  /** Where its process runs; contained where that works, unless given. */
  sandbox?: Sandbox;
  /** Folders that a contained agent cannot even read; none unless given. */
  hidden?: readonly string[];
  /** The environment to choose from; `process.env` unless given. */
  env?: Readonly<Record<string, string | undefined>>;
  limits?: Partial<AcpLimits>;
  /** Where what it starts is registered; nowhere unless given. */
  processes?: Processes;
}
