import type { OpenOptions } from "@ccw-loop/core";
import type { Processes, ProcessTree } from "@ccw-loop/processes";
import type { SandboxLeftovers } from "../launch/project-folders.ts";
import type { CodexLimits, CodexSandbox } from "../options.ts";
import type { WorkspaceWrite } from "../protocol.ts";

/** What a conversation is begun with, and opened again with after a crash. */
export interface ConversationSpec extends Pick<OpenOptions, "instructions"> {
  binary: string;
  /** The app-server's arguments for a user with these settings. */
  argumentsFor(user: WorkspaceWrite): readonly string[];
  /** Whether a permission profile of ours is among them. */
  hasProfile: boolean;
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** The command that logs in to Codex. */
  login: string;
  /** To which Codex itself belongs, and to which everything that it is asked to run does: that mark is an argument. */
  family: ProcessTree;
  commands: ProcessTree;
  processes: Processes;
  sandbox: CodexSandbox;
  /** Names of folders below the project's that the agent is not to change. */
  protect: readonly string[];
  model: string | undefined;
  /** The conversation that a new one begins as a copy of; null for an empty one. */
  forkOf: NonNullable<OpenOptions["forkOf"]> | null;
  limits: CodexLimits;
  leftovers: SandboxLeftovers;
}
