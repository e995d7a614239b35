import {
  type Hypothesis,
  isUnsettled,
  type Probe,
  type ProbeEvidence,
  probeProblem,
} from "@ccw-loop/core";
import { findPattern } from "../../proof/find-pattern.ts";
import { nowOf } from "../../run/context.ts";
import { startDeadline } from "../../turns/deadline.ts";
import type { Execution } from "../action.ts";
import type { HypothesisSet } from "./case-file.ts";
import { compareProbeWithEmptyFolder } from "./compare-probe.ts";
import { instrumentedFiles, removeInstrumentation } from "./instrumentation.ts";
import { recordHypotheses } from "./record-ideas.ts";

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
      const idea = file.add(evidence, nowOf(execution.ctx));
      if (idea) await recordHypotheses(execution, [idea]);
    }
  } finally {
    deadline.close();
  }
  await removeInstrumentation(execution);
}
