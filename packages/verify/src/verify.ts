import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  isLoopError,
  type PlanPart,
  type Verification,
  type VerifyOptions,
  type VerifyPlan,
} from "@ccw-loop/core";
import { combineParts } from "./combine-parts.ts";
import { readCoverage } from "./coverage/read-coverage.ts";
import type { RunSettings } from "./process/run-command.ts";
import type { RunPlace } from "./process/sandbox.ts";
import { digestTestFiles } from "./project-files.ts";
import { notRun, type PartRun, runPart } from "./run-part.ts";

/** Runs a plan once and judges it; see `Verifier` for the contract. */
export async function verify(
  plan: VerifyPlan,
  options: VerifyOptions & { place?: RunPlace },
  settings: RunSettings,
): Promise<Verification> {
  const { cwd, signal } = options;
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-verify-"));
  try {
    const testFiles = await digestTestFiles(cwd);
    const since = (await stat(folder)).mtimeMs;
    const startedAt = new Date().toISOString();
    const parts = await runParts(plan.parts, options, { ...settings, folder });
    const coverage = await readCoverage(cwd, since);
    return {
      command: plan.command,
      started_at: startedAt,
      ...combineParts(parts),
      coverage: coverage.lines,
      coverage_files: coverage.files,
      test_files: testFiles,
    };
  } catch (error) {
    // Reading a report ends by the same signal, but with an error of its own.
    signal.throwIfAborted();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs it in a clean room, which `place` shows elsewhere. */
export function verifyIn(
  { cwd, ...room }: Checkout,
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
  place?: RunPlace,
): Promise<Verification> {
  return verify(plan, { ...options, cwd, room, ...(place && { place }) }, settings);
}

/** Every command in order, whatever an earlier one says, within one time limit. */
async function runParts(
  parts: readonly PlanPart[],
  options: VerifyOptions & { place?: RunPlace },
  settings: RunSettings & { folder: string },
): Promise<PartRun[]> {
  const until = performance.now() + options.timeoutMs;
  const done: PartRun[] = [];
  for (const part of parts) {
    const leftMs = until - performance.now();
    if (leftMs <= 0 && done.length > 0) {
      done.push(notRun(part, "The time limit was reached before this command could be started."));
      continue;
    }
    try {
      done.push(await runPart(part, { ...options, ...settings, leftMs }));
    } catch (error) {
      // An earlier command that failed may have been the one that makes this one.
      const failed = done.some(({ run }) => run.verdict !== "passed");
      if (!failed || !isLoopError(error, "verify_unavailable")) throw error;
      done.push(notRun(part, error.message));
    }
  }
  return done;
}
