import { confirmingEvidence, isUnsettled, type ProbeEvidence } from "@ccw-loop/core";
import type { Execution } from "./action.ts";
import { compareProbe } from "./debug/compare-probe.ts";

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
