import type { Verification, VerifyPlan } from "@ccw-loop/core";
import { verifier } from "../src/index.ts";

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
  return verifier().verify(planOf(command, report), { cwd, signal, timeoutMs: 60_000 });
}

/** Runs a project as it is found to be tested, or by this command. */
export async function detectAndRun(dir: string, given?: string): Promise<Verification> {
  const subject = verifier();
  const plan = await subject.detect(dir, given);
  if (!plan) throw new Error("Nothing was detected.");
  const { signal } = new AbortController();
  return subject.verify(plan, { cwd: dir, signal, timeoutMs: 120_000 });
}
