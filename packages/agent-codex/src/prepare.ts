import { once } from "node:events";
import { LoopError, type OpenOptions, systemShortage } from "@ccw-loop/core";
import { outputTail } from "@ccw-loop/processes";
import { DEFAULT_PROTECT, projectFolder } from "@ccw-loop/processes/agent-policy";
import { appServerArguments, profileSettings } from "./launch/arguments.ts";
import {
  type CodexBinary,
  findBinary,
  installCommand,
  isTooOld,
  OLDEST_VERSION,
  versionIn,
} from "./launch/codex-binary.ts";
import { environmentFor } from "./launch/environment.ts";
import {
  NOTHING_PROTECTED,
  type ProtectedFolders,
  protectedFolders,
  untrustedFolders,
  watchSandboxLeftovers,
} from "./launch/project-folders.ts";
import { DEFAULT_CODEX_LIMITS, type PlacedOptions } from "./options.ts";
import type { ConversationSpec } from "./session/conversation-spec.ts";

const VERSION_MS = 10_000;
const ANSWER_KEPT = 16 * 1024;

type AskOptions = Pick<ConversationSpec, "family" | "env"> & Pick<OpenOptions, "signal">;

export interface LaunchPlan {
  spec: ConversationSpec;
  binary: CodexBinary;
  version: string;
  /** What Codex is to keep the agent from; nothing where it does not confine. */
  protectedFolders: ProtectedFolders;
}

/**
 * Everything that a conversation needs, found out before any process stays. Throws `agent_unavailable` for a
 * missing folder, a missing Codex or one that is too old, `agent_misconfigured` for a wrong CODEX_HOME,
 * `invalid_input` or `unsafe_path` for a folder that cannot be protected.
 */
export async function prepare(
  options: PlacedOptions,
  wanted: Pick<
    OpenOptions,
    ("cwd" | "instructions" | "model" | "sessionId" | "forkOf" | "scope" | "signal") | "readOnly"
  >,
): Promise<LaunchPlan> {
  const cwd = await projectFolder(wanted.cwd);
  const binary = await findBinary(options, cwd);
  const env = await environmentFor(options);
  const { processes } = options;
  const [family, commands] = [
    processes.processTree(wanted.scope),
    processes.processTree(wanted.scope),
  ];
  const version = await supportedVersion(binary, cwd, { family, env, signal: wanted.signal });
  const mark = commands.environment;
  const untrusted = await untrustedFolders(cwd);
  const {
    sandbox = "workspace-write",
    protect = DEFAULT_PROTECT,
    hide = [],
    config = [],
  } = options;
  const protectedHere =
    sandbox === "workspace-write" ? await protectedFolders(cwd, protect, hide) : NOTHING_PROTECTED;
  const hasProfile = protectedHere.inside.length > 0;
  // Folders are named from the project's on; the project itself is `.`.
  const kept = wanted.readOnly ? [".", ...protectedHere.inside] : protectedHere.inside;
  const spec: ConversationSpec = {
    binary: binary.path,
    hasProfile,
    argumentsFor: (user) => {
      const confined = { ...protectedHere, inside: kept };
      const profile = hasProfile ? profileSettings(confined, user) : [];
      return appServerArguments(untrusted, mark, [...config, ...profile]);
    },
    env,
    cwd,
    login: `${binary.shellCommand} login`,
    ...{ family, commands, processes },
    ...{ sandbox, protect: wanted.readOnly ? [".", ...protect] : protect },
    model: wanted.model,
    instructions: wanted.instructions,
    forkOf: wanted.forkOf ?? null,
    limits: { ...DEFAULT_CODEX_LIMITS, ...options.limits },
    leftovers: await watchSandboxLeftovers(cwd, Boolean(wanted.sessionId)),
  };
  return { spec, binary, version, protectedFolders: protectedHere };
}

async function supportedVersion(
  binary: CodexBinary,
  cwd: string,
  asking: AskOptions,
): Promise<string> {
  const { path, source } = binary;
  const install = installCommand(cwd);
  const version = versionIn(await askVersion(binary, install, asking));
  if (version === null) {
    throw new LoopError(
      "agent_unavailable",
      `${path} (named by ${source}) does not tell a version, so it is no Codex. ` +
        `Install Codex with "${install}".`,
    );
  }
  if (!isTooOld(version)) return version;
  throw new LoopError(
    "agent_unavailable",
    `Codex ${version} at ${path} is too old: CCW Loop needs ${OLDEST_VERSION} or newer. ` +
      `Update it with "${install}@latest".`,
    { details: { version, path } },
  );
}

/** What `codex --version` prints; nothing of it runs afterwards. */
async function askVersion(
  { path, source }: CodexBinary,
  install: string,
  { family, env, signal }: AskOptions,
): Promise<string> {
  const limit = AbortSignal.timeout(VERSION_MS);
  const answer = outputTail({ bytes: ANSWER_KEPT });
  try {
    const child = family.spawn(path, ["--version"], { env: { ...env }, stdio: "pipe" });
    child.stdin.on("error", () => undefined).end();
    child.stdout.on("data", (chunk: Buffer) => answer.write(chunk));
    child.stderr.resume();
    const over = signal ? AbortSignal.any([signal, limit]) : limit;
    const [code] = await once(child, "close", { signal: over });
    if (code !== 0) throw new Error(`${path} ended with exit code ${code}.`);
    return answer.text();
  } catch (cause) {
    const shortage = systemShortage(cause);
    if (shortage) throw shortage;
    throw new LoopError(
      "agent_unavailable",
      `${path} (named by ${source}) could not be asked for its version. ` +
        `Install Codex with "${install}".`,
      { cause },
    );
  } finally {
    await family.end({ graceMs: 0 });
  }
}
