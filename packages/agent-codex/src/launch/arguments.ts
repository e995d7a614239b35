import type { CodexSandbox } from "../options.ts";
import { MARK_NAME } from "../process/owner.ts";

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
  /** Value of the variable by which the agent's commands are found again. */
  mark: string;
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
    `shell_environment_policy.set.${MARK_NAME}=${tomlString(mark)}`,
    ...config,
  ];
  return ["app-server", ...settings.flatMap((setting) => ["-c", setting])];
}

/** A TOML basic string. JSON escapes the same characters, but for DEL. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

/** What `thread/start` and `thread/resume` have in common. */
export function threadParameters(cwd: string, sandbox: CodexSandbox, model: string | undefined) {
  return {
    cwd,
    approvalPolicy: APPROVALS,
    approvalsReviewer: "user",
    sandbox: sandbox === "workspace-write" ? "workspace-write" : "danger-full-access",
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
  const external = { type: "externalSandbox", networkAccess: "enabled" };
  return {
    threadId,
    input: textInput(prompt),
    ...(outputSchema ? { outputSchema } : {}),
    ...(sandbox === "external" ? { sandboxPolicy: external } : {}),
  };
}

export function textInput(text: string) {
  return [{ type: "text", text, text_elements: [] }];
}
