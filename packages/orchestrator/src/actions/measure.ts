import { type FileChange, isLoopError } from "@ccw-loop/core";
import type { Execution } from "./action.ts";

/**
 * What really changed since the action first began; since this attempt, when the workspace does not know the
 * tree of the first one any more (it became a git repository meanwhile, or its objects were cleared away).
 */
export async function changesSince({ ctx, baseTree, tree }: Execution): Promise<FileChange[]> {
  if (baseTree === null || tree === null) return [];
  const now = await ctx.workspace.tree();
  try {
    return await ctx.workspace.changes(baseTree, now);
  } catch (error) {
    if (baseTree === tree || !isLoopError(error, "invalid_input")) throw error;
    return ctx.workspace.changes(tree, now);
  }
}

/** The agent's own list of files, when it is not what was measured. */
export function differingClaims(
  claims: readonly { path: string }[],
  measured: readonly string[],
): string[] | undefined {
  const claimed = claims.map(({ path }) => path.replace(/^\.\//, ""));
  const same = claimed.length === measured.length && claimed.every((p) => measured.includes(p));
  return same ? undefined : claimed;
}
