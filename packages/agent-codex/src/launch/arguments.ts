import type { WorkspaceWrite } from "../protocol.ts";
import type { ConversationSpec } from "../session/conversation-spec.ts";
import type { ProtectedFolders } from "./project-folders.ts";

/** The approval policy that we ask Codex for; `approval/approver.ts` says why. */
const APPROVALS = {
  granular: {
    sandbox_approval: false,
    rules: true,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: false,
  },
} as const;

/**
 * The arguments of the app-server: `untrusted` are folders whose own Codex settings are not to be loaded, `mark` is the
 * variable by which the agent's commands are found again, `config` more settings, as `key=value` in TOML. The inline table is the only spelling of a path that Codex reads here. A
 * feature is switched off by its setting, not by `--disable`, which kills a version that lacks the feature.
 */
export function appServerArguments(
  untrusted: readonly string[],
  mark: { name: string; value: string },
  config: readonly string[],
): string[] {
  const folders = untrusted.map((folder) => `${tomlString(folder)}={trust_level="untrusted"}`);
  const settings = [
    `projects={${folders.join(",")}}`,
    "features.unbounded_connection_retries=false",
    `shell_environment_policy.set.${mark.name}=${tomlString(mark.value)}`,
    ...config,
  ];
  return ["app-server", ...settings.flatMap((setting) => ["-c", setting])];
}

export interface ThreadArguments extends Pick<ConversationSpec, "cwd" | "sandbox" | "model"> {
  /** The permission profile that confines the thread; null where Codex's sandbox modes do. */
  profile: string | null;
}

/** What `thread/start`, `thread/resume` and `thread/fork` have in common. */
export function threadParameters({ cwd, sandbox, profile, model }: ThreadArguments) {
  return {
    cwd,
    approvalPolicy: APPROVALS,
    approvalsReviewer: "user",
    ...(profile === null ? { sandbox } : { permissions: profile }),
    ...(model === undefined ? {} : { model }),
  };
}

export function textInput(text: string) {
  return [{ type: "text", text, text_elements: [] }];
}

/** The name of our permission profile in Codex's settings of this run. */
export const PROFILE = "ccw-loop";

/**
 * Codex's own `workspace-write` with folders in it that can only be read, which its sandbox modes cannot say.
 * A profile takes nothing over from the user's settings of that mode, so they are said again. Names below
 * the project are given as such: Codex takes an absolute path with a `[` in it for a pattern.
 */
export function profileSettings(
  { inside, elsewhere, hidden }: ProtectedFolders,
  user: WorkspaceWrite,
): string[] {
  const files = [
    `":workspace_roots"=${table(inside, '"read"')}`,
    ...elsewhere.map((path) => `${tomlString(path)}="read"`),
    ...hidden.map((path) => `${tomlString(path)}="none"`),
    ...(user.exclude_slash_tmp ? ['":slash_tmp"="read"'] : []),
    ...(user.exclude_tmpdir_env_var ? ['":tmpdir"="read"'] : []),
  ];
  const parts = [
    'extends=":workspace"',
    `workspace_roots=${table(user.writable_roots, "true")}`,
    `filesystem={${files.join(",")}}`,
    `network={enabled=${user.network_access}}`,
  ];
  return [`permissions.${PROFILE}={${parts.join(",")}}`, `default_permissions="${PROFILE}"`];
}

function table(keys: readonly string[], value: string): string {
  return `{${keys.map((key) => `${tomlString(key)}=${value}`).join(",")}}`;
}

/** A TOML basic string. JSON escapes the same characters, but for DEL. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
