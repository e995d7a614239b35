import type { Verification, VerifyPlan } from "@ccw-loop/core";
import { processes } from "@ccw-loop/processes";
import { detect } from "../src/detect/detect.ts";
import type { RunSettings } from "../src/process/run-command.ts";
import { runPlan } from "../src/run-plan.ts";

/** What runs share where nobody configured anything. */
export const SETTINGS: RunSettings = { env: {}, graceMs: 2000, hidden: [], processes: processes() };

/** A given command that is one part. */
export function planOf(command: string, report = "exit-code"): VerifyPlan {
  return { command, source: "given", parts: [{ command, report }] };
}

/** Runs a command as an operator gives it, with the report that the test names. */
export async function run(
  cwd: string,
  command: string,
  report = "exit-code",
): Promise<Verification> {
  const { signal } = new AbortController();
  return runPlan(planOf(command, report), { cwd, signal, timeoutMs: 60_000 }, SETTINGS);
}

/** Runs a project as it is found to be tested, or by this command. */
export async function detectAndRun(dir: string, given?: string): Promise<Verification> {
  const plan = await detect(dir, given);
  if (!plan) throw new Error("Nothing was detected.");
  const { signal } = new AbortController();
  return runPlan(plan, { cwd: dir, signal, timeoutMs: 120_000 }, SETTINGS);
}
