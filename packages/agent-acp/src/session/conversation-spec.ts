import type { OpenOptions } from "@ccw-loop/core";
import type { ProcessTree } from "@ccw-loop/processes";
import type { Launch } from "../launch/launch.ts";
import type { Profile } from "../launch/profiles.ts";
import type { AcpLimits } from "../options.ts";

/** What a conversation is begun with, and opened again with after a crash. */
export interface ConversationSpec extends Launch, Pick<OpenOptions, "instructions" | "forkOf"> {
  profile: Profile;
  /** To which the agent and all that it starts belong. */
  tree: ProcessTree;
  model: string | undefined;
  /** Names of folders below the project's that it is refused to write to. */
  protect: readonly string[];
  limits: AcpLimits;
}
