import { comparePredictions, type Probe, type ProbeEvidence } from "@ccw-loop/core";
import { findPattern } from "../../proof/find-pattern.ts";
import type { Execution } from "../action.ts";
import { runProbe, type Shown } from "./run-probe.ts";

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
 * The same, and whether an empty folder shows the very same: then the probe asks nothing of the project. The project's own
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
