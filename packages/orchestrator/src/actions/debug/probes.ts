import { createContext, Script } from "node:vm";
import {
  comparePredictions,
  confirmingEvidence,
  type FindPattern,
  type Hypothesis,
  isUnsettled,
  type Probe,
  type ProbeEvidence,
  probeProblem,
} from "@ccw-loop/core";
import { type Execution, nowOf } from "../../run/context.ts";
import { startDeadline } from "../../turns/deadline.ts";
import type { HypothesisSet } from "./hypothesis-set.ts";
import { instrumentedFiles, removeInstrumentation } from "./instrumentation.ts";
import { runProbe, type Shown } from "./run-probe.ts";

/** How many probes a round has at most. */
const PROBES_A_ROUND = 5;
/** How many files a piece of evidence names. */
const FILES_NAMED = 20;

/** Probes of one answer: those to be run now, the most likely first, and why others are sent back. */
export interface Probes {
  due: { id: string; probe: Probe }[];
  problems: string[];
}

/** What is decided needs no probe, unless its fix did not settle it. */
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
 * The same, and whether an empty folder shows the very same: then the probe does not test the project. The project's own
 * tests ask it by themselves.
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

/** Puts hypotheses on record in the middle of the action, so that a repeat of it goes on from there. */
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

/** Regular expressions of the language, ended at a time limit. */
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
