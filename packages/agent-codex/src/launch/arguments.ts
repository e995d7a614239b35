import type { CodexSandbox } from "../options.ts";
import { EXTERNAL, type SandboxPolicy } from "../protocol/sandbox-policy.ts";
import { tomlString } from "./toml-string.ts";

/** The approval policy that we ask Codex for; `approval/policy.ts` says why. */
const APPROVALS = {
  granular: {
    sandbox_approval: false,
    rules: true,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: false,
  },
} as const;

export interface LaunchArguments {
  /** Folders whose own Codex settings are not to be loaded. */
  untrusted: readonly string[];
  /** The variable by which the agent's commands are found again. */
  mark: { name: string; value: string };
  /** More settings, as `key=value` in TOML. */
  config: readonly string[];
}

/**
 * The arguments of the app-server. The inline table is the only spelling of a path that Codex reads here. A
 * feature is switched off by its setting, not by `--disable`, which kills a version that lacks the feature.
 */
export function appServerArguments({ untrusted, mark, config }: LaunchArguments): string[] {
  const folders = untrusted.map((folder) => `${tomlString(folder)}={trust_level="untrusted"}`);
  const settings = [
    `projects={${folders.join(",")}}`,
    "features.unbounded_connection_retries=false",
    `shell_environment_policy.set.${mark.name}=${tomlString(mark.value)}`,
    ...config,
  ];
  return ["app-server", ...settings.flatMap((setting) => ["-c", setting])];
}

export interface ThreadArguments {
  cwd: string;
  sandbox: CodexSandbox;
  /** The permission profile that confines the thread; null where Codex's sandbox modes do. */
  profile: string | null;
  model: string | undefined;
}

/** What `thread/start`, `thread/resume` and `thread/fork` have in common. */
export function threadParameters({ cwd, sandbox, profile, model }: ThreadArguments) {
  const mode = sandbox === "workspace-write" ? "workspace-write" : "danger-full-access";
  return {
    cwd,
    approvalPolicy: APPROVALS,
    approvalsReviewer: "user",
    ...(profile === null ? { sandbox: mode } : { permissions: profile }),
    ...(model === undefined ? {} : { model }),
  };
}

export interface TurnArguments {
  threadId: string;
  prompt: string;
  outputSchema: Record<string, unknown> | undefined;
  sandbox: CodexSandbox;
}

/** What `turn/start` is given. The output schema belongs to one turn, so each names it. */
export function turnParameters({ threadId, prompt, outputSchema, sandbox }: TurnArguments) {
  return {
    threadId,
    input: textInput(prompt),
    ...(outputSchema ? { outputSchema } : {}),
    ...(sandbox === "external" ? { sandboxPolicy: EXTERNAL } : {}),
  };
}

export interface CommandArguments {
  /** Our name for it, by which its output and its end are told. */
  processId: string;
  command: string;
  cwd: string;
  sandbox: CodexSandbox;
  /** What Codex confines the commands of this thread's turns by; the profile where there is one. */
  profile: string | null;
  policy: SandboxPolicy;
}

/**
 * What `command/exec` is given, so that a command runs as those of the turns do. Left to itself Codex would
 * take the user's own policy, end the command after its own time, and keep the first bytes instead of the last.
 * The policy does not tell which folders the profile protects.
 */
export function commandParameters(asked: CommandArguments) {
  const { processId, command, cwd, sandbox, profile, policy } = asked;
  const shell = process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c"] : ["/bin/sh", "-c"];
  return {
    processId,
    command: [...shell, command],
    cwd,
    ...(profile === null
      ? { sandboxPolicy: sandbox === "external" ? EXTERNAL : policy }
      : { permissionProfile: profile }),
    streamStdoutStderr: true,
    disableOutputCap: true,
    disableTimeout: true,
  };
}

export function textInput(text: string) {
  return [{ type: "text", text, text_elements: [] }];
}
