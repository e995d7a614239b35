import type { CleanedWorktree } from "@ccw-loop/core";
import { formatBytes, table } from "@ccw-loop/view";
import type { Context } from "../context.ts";

const WORKTREE_HEAD = ["LOOP", "STATUS", "SIZE", "RESULT", "FOLDER"];

/** A row for each worktree: what it takes on disk, what became of it, or why it stays. */
export function worktreeTable(
  worktrees: readonly CleanedWorktree[],
  { dryRun, context }: { dryRun: boolean; context: Pick<Context, "io" | "paint"> },
): string {
  const { io, paint } = context;
  if (worktrees.length === 0) return "No loop has a worktree here.";
  const rows = worktrees.map(({ id, status, bytes, reason, top }) => ({
    tone: reason === null ? ("good" as const) : ("plain" as const),
    cells: [
      id,
      status ?? "gone",
      formatBytes(bytes),
      reason === null ? (dryRun ? "would be removed" : "removed") : `stays: ${reason}`,
      top,
    ],
  }));
  const columns = io.stdout.isTTY ? io.stdout.columns : undefined;
  const going = worktrees.filter(({ reason }) => reason === null);
  const bytes = (some: readonly CleanedWorktree[]) =>
    formatBytes(some.reduce((total, worktree) => total + worktree.bytes, 0));
  const verb = dryRun ? "would be removed" : "removed";
  const branches = going.length > 0 && !dryRun ? " Branches with work of their own stay." : "";
  return [
    ...table(WORKTREE_HEAD, rows, { columns, paint }),
    `${going.length} of ${worktrees.length} ${verb}: ${bytes(going)} of ${bytes(worktrees)}.${branches}`,
  ].join("\n");
}
