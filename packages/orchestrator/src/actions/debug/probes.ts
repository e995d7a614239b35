import type { Hypothesis, Probe, ProbeEvidence } from "@ccw-loop/core";
import { startDeadline } from "../../turns/deadline.ts";
import type { Execution } from "../action.ts";
import type { CaseFile } from "./case-file.ts";
import { instrumentedFiles, removeInstrumentation } from "./instrumentation.ts";
import { recordIdeas } from "./record-ideas.ts";
import { runProbe } from "./run-probe.ts";

/** How many probes a round has at most. */
const PROBES_A_ROUND = 5;
/** How many files a piece of evidence names. */
const FILES_NAMED = 20;

/** The hypotheses whose probes are to be run now, the most likely first; what is judged needs none. */
export function probesDue(
  ideas: readonly Hypothesis[],
  wanted: readonly string[],
): { id: string; probe: Probe }[] {
  return ideas
    .filter(
      ({ id, status }) =>
        wanted.includes(id) && (status === "pending" || status === "inconclusive"),
    )
    .sort((a, b) => a.likelihood - b.likelihood)
    .flatMap(({ id, probe }) => (probe ? [{ id, probe }] : []))
    .slice(0, PROBES_A_ROUND);
}

/**
 * One round: runs the probes, each on record as soon as it ended, then takes the instrumentation out of the files.
 * Rejects with the signal's reason on abort.
 */
export async function runRound(
  execution: Execution,
  file: CaseFile,
  due: readonly { id: string; probe: Probe }[],
): Promise<void> {
  file.round += 1;
  const instrumented = (await instrumentedFiles(execution)).slice(0, FILES_NAMED);
  const deadline = startDeadline(execution);
  try {
    for (const { id, probe } of due) {
      const shown = await runProbe(execution, probe, deadline.signal);
      const { iteration, round } = file;
      const evidence: ProbeEvidence = {
        hid: id,
        ts: execution.ctx.deps.clock.now().getTime(),
        func: "probe",
        data: { ...shown, instrumented, iteration, round },
      };
      const idea = file.add(evidence);
      if (idea) await recordIdeas(execution, [idea]);
    }
  } finally {
    deadline.close();
  }
  await removeInstrumentation(execution);
}
