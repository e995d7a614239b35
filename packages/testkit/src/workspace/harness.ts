import type { Workspace } from "@ccw-loop/core";

export interface WorkspaceHarness {
  open(cwd: string): Promise<Workspace>;
  /** Makes a repository, or whatever the workspace needs, of an empty folder; `node_modules` must be ignored. */
  prepare?(cwd: string): Promise<void>;
  /** Whether checkpoints can be compared line by line and gone back to; else those methods refuse. */
  rewinds: boolean;
  /** Whether worktrees can be made, of a place as `prepare` leaves it; else that is refused. */
  worktrees: boolean;
}

/** What a test of the contract works with. */
export interface Place {
  cwd: string;
  workspace: Workspace;
  /** A path outside of it where nothing is. */
  elsewhere: string;
  /** The same place as another process would open it. */
  reopened(): Promise<Workspace>;
  openAt(folder: string): Promise<Workspace>;
}

export type WithPlace = (use: (place: Place) => Promise<void>) => Promise<void>;
