import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workspace } from "@ccw-loop/core";
import { describe } from "vitest";
import { describeClaiming } from "./claiming.ts";
import { describeKeeping } from "./keeping.ts";
import { describeLacking } from "./lacking.ts";
import { describeLending } from "./lending.ts";
import { describeNaming } from "./naming.ts";
import { describeOutside } from "./outside.ts";
import { describeRewinding } from "./rewinding.ts";
import { describeSeeing } from "./seeing.ts";
import { describeWorktrees } from "./worktrees.ts";

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

/** Executable contract of core's `Workspace`. */
export function describeWorkspace(name: string, harness: WorkspaceHarness): void {
  const { open, prepare, rewinds, worktrees } = harness;
  const withPlace: WithPlace = async (use) => {
    const around = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-workspace-")));
    const cwd = join(around, "project");
    try {
      await mkdir(cwd);
      await prepare?.(cwd);
      const elsewhere = join(around, "elsewhere");
      await use({
        cwd,
        elsewhere,
        workspace: await open(cwd),
        reopened: () => open(cwd),
        openAt: open,
      });
    } finally {
      await rm(around, { recursive: true, force: true });
    }
  };
  describe(`Workspace contract: ${name}`, { timeout: 60_000 }, () => {
    describeNaming(withPlace);
    describeSeeing(withPlace);
    describeClaiming(withPlace);
    describeKeeping(withPlace);
    describeOutside(withPlace, { rewinds });
    describeLending(withPlace);
    if (rewinds) describeRewinding(withPlace);
    if (worktrees) describeWorktrees(withPlace);
    describeLacking(withPlace, { rewinds, worktrees });
  });
}
