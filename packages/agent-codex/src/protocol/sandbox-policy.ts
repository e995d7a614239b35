import { z } from "zod";

/** What Codex confines commands by: `type`, and the fields that belong to it. */
export const SandboxPolicy = z.looseObject({ type: z.string() });
export type SandboxPolicy = z.infer<typeof SandboxPolicy>;

/** The strictest in which work is possible: the project may be written to and nothing else, no network. */
export const CONFINED: SandboxPolicy = {
  type: "workspaceWrite",
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: true,
  excludeSlashTmp: true,
};

/** Something else confines the whole process. */
export const EXTERNAL: SandboxPolicy = { type: "externalSandbox", networkAccess: "enabled" };
