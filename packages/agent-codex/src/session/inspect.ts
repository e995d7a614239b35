import type { Failure } from "../failure/failure.ts";
import type { CodexSandbox } from "../options.ts";
import type { AppServer } from "../process/app-server.ts";
import { Account, CommandRun, Nothing } from "../protocol/results.ts";

const PREFLIGHT_MS = 10_000;

/**
 * What keeps a running Codex from working here, found before the first turn: settings that cannot be read,
 * no login, a sandbox that cannot start. In this order: with broken settings Codex asks for a login that it
 * would not need.
 */
export async function inspect(
  server: AppServer,
  cwd: string,
  sandbox: CodexSandbox,
): Promise<Failure[]> {
  const config = await server.request("config/read", { includeLayers: false, cwd }, Nothing);
  if (!config.ok) return [config.failure];
  const found = [await accountProblem(server), await sandboxProblem(server, cwd, sandbox)];
  return found.filter((problem) => problem !== null);
}

async function accountProblem(server: AppServer): Promise<Failure | null> {
  const reply = await server.request("account/read", { refreshToken: false }, Account);
  if (!reply.ok) return reply.failure;
  const { account, requiresOpenaiAuth } = reply.result;
  if (account || !requiresOpenaiAuth) return null;
  return { kind: "auth", message: "Codex is not logged in" };
}

async function sandboxProblem(
  server: AppServer,
  cwd: string,
  sandbox: CodexSandbox,
): Promise<Failure | null> {
  if (sandbox !== "workspace-write") return null;
  const sandboxPolicy = {
    type: "workspaceWrite",
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: true,
    excludeSlashTmp: true,
  };
  const command = { command: ["true"], cwd, timeoutMs: PREFLIGHT_MS, sandboxPolicy };
  const reply = await server.request("command/exec", command, CommandRun);
  if (!reply.ok) return reply.failure;
  const { exitCode, stderr } = reply.result;
  if (exitCode === 0) return null;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const complaint = lines.find((line) => line.startsWith("bwrap:")) ?? lines[0];
  const why = complaint ?? `its test command ended with exit code ${exitCode}`;
  return { kind: "sandbox", message: `Codex cannot confine commands here: ${why}` };
}
