import { createContext, Script } from "node:vm";
import {
  comparePredictions,
  confirmingEvidence,
  type FindPattern,
  type Hypothesis,
  isLoopError,
  isUnsettled,
  type Probe,
  type ProbeEvidence,
  type ProbeRun,
  probeProblem,
} from "@ccw-loop/core";
import { testPlan } from "../../proof/run-tests.ts";
import { type Execution, nowOf } from "../../run/context.ts";
import { startDeadline } from "../../turns/deadline.ts";
import { reportRun, runCommand } from "../run-command.ts";
import type { HypothesisSet } from "./hypothesis-set.ts";
import { instrumentedFiles, removeInstrumentation } from "./instrumentation.ts";

const PROBES_A_ROUND = 5;
const FILES_NAMED = 20;

/** Probes of one answer: those to be run now, the most likely first, and why others are sent back. */
export interface Probes {
  due: { id: string; probe: Probe }[];
  problems: string[];
}

/**
 * Which probes of an answer are run. A hypothesis that is decided needs none, unless the fix of its cause did not
 * settle it.
 */
export function probesOf(ideas: readonly Hypothesis[], wanted: readonly string[]): Probes {
  const probes = ideas
    .filter((idea) => wanted.includes(idea.id) && (isOpen(idea) || isUnsettled(idea)))
    .sort((a, b) => a.likelihood - b.likelihood)
    .flatMap(({ id, probe }) =>
      probe ? [{ id, probe, problem: probeProblem(probe, findPattern) }] : [],
    );
  return {
    due: probes
      .filter(({ problem }) => problem === null)
      .map(({ id, probe }) => ({ id, probe }))
      .slice(0, PROBES_A_ROUND),
    problems: probes.flatMap(({ id, problem }) =>
      problem === null ? [] : [`The probe of ${id} was not run. ${problem}`],
    ),
  };
}

function isOpen({ status }: Hypothesis): boolean {
  return status === "pending" || status === "inconclusive";
}

/**
 * One round: runs the probes, each on record as soon as it ended, then takes the instrumentation out of the files.
 * Rejects with the signal's reason on abort.
 */
export async function runRound(
  execution: Execution,
  file: HypothesisSet,
  due: readonly { id: string; probe: Probe }[],
): Promise<void> {
  file.round += 1;
  const instrumented = (await instrumentedFiles(execution)).slice(0, FILES_NAMED);
  const deadline = startDeadline(execution);
  try {
    for (const { id, probe } of due) {
      const shown = await compareProbeWithEmptyFolder(execution, probe, deadline.signal);
      const { iteration, round } = file;
      const evidence: ProbeEvidence = {
        hid: id,
        ts: execution.ctx.deps.clock.now().getTime(),
        func: "probe",
        data: { ...shown, instrumented, iteration, round },
      };
      const idea = file.add(evidence);
      if (idea) await recordHypotheses(execution, [idea]);
    }
  } finally {
    deadline.close();
  }
  await removeInstrumentation(execution);
}

type Compared = Shown & Pick<ProbeEvidence["data"], "probe" | "shows" | "asks_nothing">;

/** Runs a probe and compares what it showed with both of its predictions. Rejects with the signal's reason on abort. */
export async function compareProbe(
  execution: Execution,
  probe: Probe,
  signal: AbortSignal,
): Promise<Compared> {
  const shown = await runProbe(execution, { command: probe.command }, signal);
  if (shown.not_run !== undefined) return { ...shown, probe };
  try {
    return { ...shown, probe, shows: comparePredictions(probe, shown, findPattern) };
  } catch (error) {
    const not_run = `What it showed cannot be compared: ${(error as Error).message}`;
    return { ...shown, probe, not_run };
  }
}

/**
 * As `compareProbe`, and whether the probe shows the same in an empty folder: then it does not test the project. The
 * project's own tests are not compared.
 */
export async function compareProbeWithEmptyFolder(
  execution: Execution,
  probe: Probe,
  signal: AbortSignal,
): Promise<Compared> {
  const compared = await compareProbe(execution, probe, signal);
  const { command } = probe;
  const decides = compared.shows === "holds" || compared.shows === "does_not_hold";
  if (command === null || !decides) return compared;
  const empty = await execution.ctx.deps.files.inTemporary((cwd) =>
    runProbe(execution, { command, cwd }, signal),
  );
  return isSame(compared, empty) ? { ...compared, asks_nothing: true } : compared;
}

function isSame(a: Shown, b: Shown): boolean {
  return b.not_run === undefined && a.exit_code === b.exit_code && a.output === b.output;
}

/**
 * Runs the probe of every confirmed cause again, as it was when it confirmed the cause: after the fix it has to show that
 * the cause does not hold any more. Rejects with the signal's reason on abort.
 */
export async function probesAfterFix(
  execution: Execution,
  signal: AbortSignal,
): Promise<ProbeEvidence[]> {
  const debug = execution.state.skill_state?.debug;
  const shown: ProbeEvidence[] = [];
  for (const cause of (debug?.hypotheses ?? []).filter(isUnsettled)) {
    const { probe } = confirmingEvidence(cause)?.data ?? {};
    if (!probe) continue;
    const data = await compareProbe(execution, probe, signal);
    shown.push({
      hid: cause.id,
      ts: execution.ctx.deps.clock.now().getTime(),
      func: "probe",
      data: { ...data, instrumented: [], after_fix: true },
    });
  }
  return shown;
}

/** Records hypotheses during the action, so that a repeated action continues from there. */
export async function recordHypotheses(
  { ctx }: Execution,
  hypotheses: readonly Hypothesis[],
): Promise<void> {
  if (hypotheses.length === 0) return;
  await ctx.recorder.record(() => [
    { type: "evidence.recorded", at: nowOf(ctx), hypotheses: [...hypotheses] },
  ]);
}

/** How long one search may take: patterns are the agent's, and some take forever. */
const SEARCH_MS = 200;

const search = new Script(`
  const match = new RegExp(pattern, "mu").exec(text);
  match === null ? null : String(match[1] ?? match[0])
`);

/** Searches with a JavaScript regular expression, within a time limit. */
export const findPattern: FindPattern = (pattern, text) => {
  const context = createContext({ pattern, text });
  try {
    return search.runInContext(context, { timeout: SEARCH_MS }) as string | null;
  } catch (cause) {
    const late = (cause as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    const why = late
      ? `it was searched for longer than ${SEARCH_MS} ms`
      : (cause as Error).message.replace(/^Invalid regular expression: /, "");
    throw new Error(`/${pattern}/: ${why}`, { cause });
  }
};

const PROBE_MS = 120_000;
/** How much of its output is kept: the end of it. */
const OUTPUT_KEPT = 4_000;

/** Exit codes of a shell that could not start a program. */
const NOT_STARTED: readonly (number | null)[] = [126, 127];

export type Shown = Pick<
  ProbeEvidence["data"],
  "command" | "exit_code" | "duration_ms" | "output" | "timed_out" | "not_run"
>;

interface Wanted {
  /** Null stands for the project's own tests. */
  command: string | null;
  /** Another folder than the project's, for comparison: people are not shown that run. */
  cwd?: string;
}

/**
 * Runs a probe and reports what it showed; one that could not be run, or whose program is missing, has the reason in
 * `not_run`. Rejects with the signal's reason on abort.
 */
export async function runProbe(
  execution: Execution,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Shown> {
  const { ctx, state } = execution;
  const plan = wanted.command === null ? await testPlan(ctx, state) : null;
  const command = wanted.command ?? plan?.command;
  const nothing = { exit_code: null, duration_ms: 0, output: "" };
  if (command === undefined) {
    return { ...nothing, command: "", not_run: "The project has no test command." };
  }
  try {
    const { cwd } = wanted;
    const asked = { command, proposed: true, cwd, timeoutMs: PROBE_MS };
    const run = await (plan
      ? reportRun(execution, { command, kept: OUTPUT_KEPT }, () =>
          ownTests(execution, plan.parts, signal),
        )
      : runCommand(execution, { ...asked, kept: cwd === undefined ? OUTPUT_KEPT : null }, signal));
    const output = run.output.slice(-OUTPUT_KEPT);
    const { exit_code, duration_ms, timed_out } = run;
    const missing = NOT_STARTED.includes(exit_code)
      ? { not_run: `A program that it needs could not be started (exit code ${exit_code}).` }
      : {};
    return {
      command,
      exit_code,
      duration_ms,
      output,
      ...(timed_out ? { timed_out } : {}),
      ...missing,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!isLoopError(error)) throw error;
    return { ...nothing, command, not_run: error.message };
  }
}

/** Every command of the chain, whatever an earlier one says; the exit code is of the first that failed. */
async function ownTests(
  { ctx }: Execution,
  parts: readonly { command: string }[],
  signal: AbortSignal,
): Promise<ProbeRun> {
  const all: ProbeRun = { exit_code: 0, duration_ms: 0, output: "", timed_out: false };
  for (const { command } of parts) {
    const timeoutMs = Math.max(1, PROBE_MS - all.duration_ms);
    ctx.watcher.requireLease();
    const run = await ctx.deps.verifier.probe(command, {
      cwd: ctx.cwd,
      scope: ctx.scope,
      signal,
      timeoutMs,
    });
    if (all.exit_code === 0) all.exit_code = run.exit_code;
    all.duration_ms += run.duration_ms;
    all.output += parts.length > 1 ? `$ ${command}\n${run.output}\n` : run.output;
    if (run.timed_out) return { ...all, timed_out: true };
  }
  return all;
}
