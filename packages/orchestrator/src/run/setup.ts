import { LoopError, type ProbeOptions, type Verifier } from "@ccw-loop/core";

/** A setup command that went well. */
export interface Setup {
  command: string;
  duration_ms: number;
}

/**
 * Runs the operator's command that installs what the tests need, as the tests are run. Throws `verify_unavailable` when it
 * fails, with `next` as the next step.
 */
export async function runSetup(
  verifier: Verifier,
  command: string,
  { next, ...options }: ProbeOptions & { next: string },
): Promise<Setup> {
  const { exit_code, duration_ms, output, timed_out } = await verifier.probe(command, options);
  if (exit_code === 0) return { command, duration_ms };
  const end = timed_out ? "was ended by the time limit" : `exited with ${exit_code ?? "a signal"}`;
  const [last = ""] = output.trim().split("\n").slice(-1);
  throw new LoopError(
    "verify_unavailable",
    `The setup command "${command}" ${end}. ${last} ${next}`,
    { details: { command, output: output.slice(-2000) } },
  );
}
