import type { FileChange } from "@ccw-loop/core";
import type { Execution } from "./action.ts";

/** What really changed since the action first began. */
export async function changesSince({ ctx, baseTree }: Execution): Promise<FileChange[]> {
  if (baseTree === null) return [];
  return ctx.workspace.changes(baseTree, await ctx.workspace.tree());
}

/** The agent's own list of files, when it is not what was measured. */
export function claimsThatDiffer(
  claims: readonly { path: string }[],
  measured: readonly string[],
): string[] | undefined {
  const claimed = claims.map(({ path }) => path.replace(/^\.\//, ""));
  const same = claimed.length === measured.length && claimed.every((p) => measured.includes(p));
  return same ? undefined : claimed;
}
