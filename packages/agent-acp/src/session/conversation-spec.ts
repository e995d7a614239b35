import type { OpenOptions } from "@ccw-loop/core";
import type { ProcessTree } from "@ccw-loop/processes";
import type { Profile } from "../launch/profiles.ts";
import type { SandboxedLaunch } from "../launch/sandbox.ts";
import type { AcpLimits } from "../options.ts";

/** What a conversation is begun with, and opened again with after a crash. */
export interface ConversationSpec
  extends SandboxedLaunch,
    Pick<OpenOptions, "instructions" | "forkOf"> {
  profile: Profile;
  /** To which the agent and all that it starts belong. */
  tree: ProcessTree;
  /** One for something else that is ended by itself. */
  newTree: () => ProcessTree;
  model: string | undefined;
  /** Names of folders below the project's that it is refused to write to. */
  protect: readonly string[];
  limits: AcpLimits;
}
