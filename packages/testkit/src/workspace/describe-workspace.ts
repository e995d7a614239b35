import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workspace } from "@ccw-loop/core";
import { describe } from "vitest";
import { describeNaming } from "./naming.ts";
import { describeSeeing } from "./seeing.ts";

export interface WorkspaceHarness {
  open(cwd: string): Promise<Workspace>;
  /** Makes a repository, or whatever the workspace needs, of an empty folder; `node_modules` must be ignored. */
  prepare?(cwd: string): Promise<void>;
}

/** What a test of the contract works with. */
export interface Place {
  cwd: string;
  workspace: Workspace;
  /** The same place as another process would open it. */
  reopened(): Promise<Workspace>;
}

export type WithPlace = (use: (place: Place) => Promise<void>) => Promise<void>;

/** Executable contract of core's `Workspace`. */
export function describeWorkspace(name: string, { open, prepare }: WorkspaceHarness): void {
  const withPlace: WithPlace = async (use) => {
    const cwd = await mkdtemp(join(tmpdir(), "ccw-loop-workspace-"));
    try {
      await prepare?.(cwd);
      await use({ cwd, workspace: await open(cwd), reopened: () => open(cwd) });
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  };
  describe(`Workspace contract: ${name}`, { timeout: 60_000 }, () => {
    describeNaming(withPlace);
    describeSeeing(withPlace);
  });
}
