import type { WorkspaceWrite } from "../protocol/results.ts";
import type { ProtectedFolders } from "./protected-folders.ts";
import { tomlString } from "./toml-string.ts";

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
