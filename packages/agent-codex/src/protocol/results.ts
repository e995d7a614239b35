import { z } from "zod";
import { CONFINED, SandboxPolicy } from "./sandbox-policy.ts";

/** Answers to our requests; the fields that we read. */
export const EmptyResult = z.looseObject({});

export const Account = z.object({
  account: z.looseObject({ type: z.string() }).nullish(),
  requiresOpenaiAuth: z.boolean().default(false),
});

/** The user's settings for Codex's mode `workspace-write`. */
export const WorkspaceWrite = z.object({
  network_access: z.boolean().default(false),
  writable_roots: z.array(z.string()).default([]),
  exclude_tmpdir_env_var: z.boolean().default(false),
  exclude_slash_tmp: z.boolean().default(false),
});
export type WorkspaceWrite = z.infer<typeof WorkspaceWrite>;

/** Codex's own, where the user set nothing. */
export const DEFAULT_WORKSPACE: WorkspaceWrite = WorkspaceWrite.parse({});

/** What cannot be read counts as the strictest. */
const STRICTEST = { ...DEFAULT_WORKSPACE, exclude_tmpdir_env_var: true, exclude_slash_tmp: true };

export const Config = z.object({
  config: z.object({ sandbox_workspace_write: WorkspaceWrite.nullish().catch(STRICTEST) }),
});

/** `sandbox` is that of the thread's turns; a version that does not tell it gets the strictest. */
export const ThreadOpened = z.object({
  thread: z.object({ id: z.string() }),
  sandbox: SandboxPolicy.catch(CONFINED),
  activePermissionProfile: z.object({ id: z.string() }).nullish().catch(null),
});
export type ThreadOpened = z.infer<typeof ThreadOpened>;

export const TurnStarted = z.object({ turn: z.object({ id: z.string() }) });

export const CommandRun = z.object({
  exitCode: z.number(),
  stdout: z.string().default(""),
  stderr: z.string().default(""),
});
export type CommandRun = z.infer<typeof CommandRun>;
