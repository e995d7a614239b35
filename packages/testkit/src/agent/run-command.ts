import type { ExecOptions, ExecResult } from "@ccw-loop/core";
import type { Commands } from "../process/commands.ts";

const OUTPUT_KEPT = 64 * 1024;
/** The longest timer there is. */
const FOR_EVER = 2 ** 31 - 1;

/**
 * Runs a command outside of any turn, in a scope of its own: however it ends, no process of the scope is
 * alive when this settles. Rejects with the reason when `signal` aborts.
 */
export async function runCommand(
  command: string,
  cwd: string,
  processes: Commands,
  { signal, timeoutMs }: ExecOptions,
): Promise<ExecResult> {
  const limit = AbortSignal.timeout(Math.min(timeoutMs, FOR_EVER));
  const stop = AbortSignal.any([signal, limit]);
  const end = () => void processes.end().catch(() => undefined);
  stop.addEventListener("abort", end, { once: true });
  let output = "";
  try {
    const exit_code = await processes.run(command, cwd, (text) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    });
    const timed_out = limit.aborted;
    signal.throwIfAborted();
    return { exit_code: timed_out ? null : exit_code, output, timed_out };
  } finally {
    stop.removeEventListener("abort", end);
    await processes.end();
  }
}
