import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  isLoopError,
  type PlanPart,
  type TestCounts,
  type Verification,
  type VerifyOptions,
  type VerifyPlan,
} from "@ccw-loop/core";
import type { RunPlace } from "./clean-room/sandbox.ts";
import { readCoverage } from "./coverage/read-coverage.ts";
import { passed } from "./judge.ts";
import type { RunSettings } from "./process/run-command.ts";
import { digestTestFiles } from "./project-files.ts";
import { FAILED_KEPT, OTHERS_KEPT } from "./reports/collector.ts";
import { notRun, type PartRun, runPart } from "./run-part.ts";

/** Runs a plan once and judges it; see `Verifier` for the contract. */
export async function runPlan(
  plan: VerifyPlan,
  options: VerifyOptions & { place?: RunPlace },
  settings: RunSettings,
): Promise<Verification> {
  const { cwd, signal, room } = options;
  signal.throwIfAborted();
  // Beside a room, for there it can be seen.
  const folder = await mkdtemp(join(room ? dirname(room.top) : tmpdir(), "ccw-loop-verify-"));
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
export function runPlanIn(
  { cwd, ...room }: Checkout,
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
  place?: RunPlace,
): Promise<Verification> {
  return runPlan(plan, { ...options, cwd, room, ...(place && { place }) }, settings);
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

/** Characters of all output that is kept. */
const TAIL = 64 * 1024;

/** The results of a chain as one; at least one command. */
export function combineParts(
  parts: readonly PartRun[],
): Omit<Verification, "command" | "started_at" | "coverage" | "coverage_files" | "test_files"> {
  const bad = parts.find(({ run }) => run.verdict !== "passed");
  const deciding = bad ?? (parts.at(-1) as PartRun);
  const counts = sum(parts.map(({ run }) => run.counts));
  const reports = [deciding, ...parts].map(({ run }) => run.report);
  const tests = parts.flatMap(({ report }) => report?.tests ?? []);
  const failed = tests.filter(({ status }) => status === "failed");
  const others = tests.filter(({ status }) => status !== "failed");
  const report = reports.find((one) => one !== null) ?? null;
  return {
    duration_ms: parts.reduce((ms, { run }) => ms + run.duration_ms, 0),
    exit_code: deciding.run.exit_code,
    report,
    counts,
    tests: [...failed.slice(0, FAILED_KEPT), ...others.slice(0, OTHERS_KEPT)],
    passed: bad === undefined,
    // Of a chain that passed, its last command may be the one that says least.
    reason: bad || report === null ? deciding.run.reason : `${passed(counts)}.`,
    output_tail: tailOf(parts, deciding),
    commands: parts.map(({ run }) => run),
  };
}

function sum(all: readonly TestCounts[]): TestCounts {
  const added = (pick: (counts: TestCounts) => number) =>
    all.reduce((value, counts) => value + pick(counts), 0);
  return {
    total: added((counts) => counts.total),
    passed: added((counts) => counts.passed),
    failed: added((counts) => counts.failed),
    skipped: added((counts) => counts.skipped),
  };
}

/** What the commands that did not pass have said, each under its name; of one alone, what it said. */
function tailOf(parts: readonly PartRun[], deciding: PartRun): string {
  const bad = parts.filter(({ run }) => run.verdict !== "passed");
  if (bad.length < 2) return deciding.outputTail;
  const each = Math.floor(TAIL / bad.length) - 200;
  return bad
    .map(({ run, outputTail }) => `$ ${run.command.slice(0, 160)}\n${outputTail.slice(-each)}`)
    .join("\n");
}
