import type { TonedLine } from "@ccw-loop/view";

/** What one action changed. */
export interface DiffState {
  kind: "diff";
  id: string;
  from: number;
  to: number;
  /** Files and patch as lines, bounded; null while it is asked for. */
  content: readonly TonedLine[] | null;
  scroll: number;
}
