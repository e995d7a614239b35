import { randomInt } from "node:crypto";
import { processesRunning } from "@ccw-loop/testkit";
import { expect, vi } from "vitest";

/** A command line that no other process of this machine has. */
export function uniqueSleep(): string {
  return `sleep ${randomInt(100_000, 999_999)}.${randomInt(1_000_000)}`;
}

/** The Codex process that works in this project. */
export function codexIn(project: string): number {
  const [pid] = processesRunning(`app-server -c projects={"${project}"`);
  if (pid === undefined) throw new Error(`No Codex works in ${project}.`);
  return pid;
}

export async function untilRuns(command: string): Promise<void> {
  await vi.waitFor(() => expect(processesRunning(command)).not.toEqual([]), 20_000);
}

export async function untilGone(command: string): Promise<void> {
  await vi.waitFor(() => expect(processesRunning(command)).toEqual([]), 20_000);
}
