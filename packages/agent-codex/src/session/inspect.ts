import { isDeepStrictEqual } from "node:util";
import type { Failure } from "../failure/failure.ts";
import { PROFILE } from "../launch/arguments.ts";
import type { AppServer, Reply } from "../process/app-server.ts";
import { Account, CONFINED, CommandRun, Config, DEFAULT_WORKSPACE } from "../protocol.ts";
import { initializeServer } from "./connect.ts";
import type { ConversationSpec } from "./conversation-spec.ts";

const PREFLIGHT_MS = 10_000;

/** How Codex is to be started and told to confine, here and for this user. */
export interface SandboxSetup {
  args: readonly string[];
  /** The permission profile to ask for; null where there is none, or Codex may not use it. */
  profile: string | null;
  /** What is not as it was wanted. */
  warnings: string[];
}

export interface Inspection {
  /** Runs and was greeted, unless there are problems. */
  server: AppServer;
  sandboxSetup: SandboxSetup;
  /** What keeps Codex from working here. */
  problems: Failure[];
}

/**
 * Starts Codex for the first time, and looks for what keeps it from working: settings that cannot be read,
 * no login, a sandbox that cannot start. In this order: with broken settings Codex asks for a login that it
 * would not need. Our profile depends on the user's settings, which only Codex knows: where they are not its
 * defaults, it is started once more. The sandbox is tried in the folder `trialIn`: where a protected folder is missing, Codex puts
 * an empty file into its place for as long as a command runs.
 */
export async function startAndInspect(
  spec: ConversationSpec,
  start: (args: readonly string[]) => AppServer,
  trialIn = spec.cwd,
): Promise<Inspection> {
  const { cwd, argumentsFor } = spec;
  let args = argumentsFor(DEFAULT_WORKSPACE);
  let server = start(args);
  const stopped = (...problems: Failure[]): Inspection => {
    return { server, sandboxSetup: { args, profile: null, warnings: [] }, problems };
  };

  const greeted = await initializeServer(server);
  if (!greeted.ok) return stopped(greeted.failure);
  const read = await server.request("config/read", { includeLayers: false, cwd }, Config);
  if (!read.ok) return stopped(read.failure);
  const wanted = argumentsFor(read.result.config.sandbox_workspace_write ?? DEFAULT_WORKSPACE);
  if (!isDeepStrictEqual(wanted, args)) {
    await server.close();
    args = wanted;
    server = start(args);
    const again = await initializeServer(server);
    if (!again.ok) return stopped(again.failure);
  }

  const account = await accountProblem(server);
  const { profile, warnings, problem } = await checkSandbox(server, { ...spec, cwd: trialIn });
  const problems = [account, problem].filter((found) => found !== null);
  return { server, sandboxSetup: { args, profile, warnings }, problems };
}

async function accountProblem(server: AppServer): Promise<Failure | null> {
  const reply = await server.request("account/read", { refreshToken: false }, Account);
  if (!reply.ok) return reply.failure;
  const { account, requiresOpenaiAuth } = reply.result;
  if (account || !requiresOpenaiAuth) return null;
  return { kind: "auth", message: "Codex is not logged in" };
}

async function checkSandbox(server: AppServer, { cwd, sandbox, hasProfile }: ConversationSpec) {
  if (sandbox !== "workspace-write") return { profile: null, warnings: [], problem: null };
  const run = (confined: object) => {
    const command = { command: ["true"], cwd, timeoutMs: PREFLIGHT_MS, ...confined };
    return server.request("command/exec", command, CommandRun);
  };
  const warnings: string[] = [];
  if (hasProfile) {
    const reply = await run({ permissionProfile: PROFILE });
    const refused = !reply.ok && /permission.?profile/i.test(reply.failure.message);
    if (!refused) return { profile: PROFILE, warnings, problem: sandboxProblem(reply) };
    warnings.push(unprotected(reply.failure));
  }
  const reply = await run({ sandboxPolicy: CONFINED });
  return { profile: null, warnings, problem: sandboxProblem(reply) };
}

/** An administrator's list of allowed profiles does not have ours. */
function unprotected({ message }: Failure): string {
  return `Codex does not keep the agent from writing to protected folders of the project. ${message}.`;
}

function sandboxProblem(reply: Reply<CommandRun>): Failure | null {
  if (!reply.ok) return reply.failure;
  const { exitCode, stderr } = reply.result;
  if (exitCode === 0) return null;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const complaint = lines.find((line) => line.startsWith("bwrap:")) ?? lines[0];
  const why = complaint ?? `its test command ended with exit code ${exitCode}`;
  return { kind: "sandbox", message: `Codex cannot confine commands here: ${why}` };
}
