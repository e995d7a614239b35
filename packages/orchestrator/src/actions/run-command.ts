import { type ActionName, type ProbeRun, shellWord } from "@ccw-loop/core";
import { type Execution, report } from "../run/context.ts";

export interface CommandToRun {
  command: string;
  /** Another folder than the loop's own. */
  cwd?: string | null;
  timeoutMs: number;
}

/**
 * Runs a command of the loop outside of any turn: in the agent's own sandbox where it has one, for the command may be the
 * agent's; else as the tests are run. No process of it is left, however it ends. Rejects with the signal's reason on
 * abort, and with a LoopError where it cannot be started.
 */
export async function runCommand(
  { ctx, state }: Execution,
  { command, cwd = null, timeoutMs }: CommandToRun,
  signal: AbortSignal,
): Promise<ProbeRun> {
  const { clock, verifier } = ctx.deps;
  ctx.control.requireLease();
  const began = clock.monotonic();
  const there = cwd === null ? command : `cd ${shellWord(cwd)} || exit 125\n${command}`;
  const session = await ctx.sessions.active.get(state, signal);
  const run = await session.exec?.(there, { signal, timeoutMs });
  if (run) return { ...run, duration_ms: Math.round(clock.monotonic() - began) };
  return verifier.probe(command, { cwd: cwd ?? ctx.cwd, scope: ctx.scope, signal, timeoutMs });
}

/** Shows a run, and keeps it in the loop's log with the last `kept` characters of its output. */
export async function reportRun(
  { ctx, state }: Execution,
  { command, kept }: { command: string; kept: number },
  run: () => Promise<ProbeRun>,
): Promise<ProbeRun> {
  const action: ActionName = state.action?.name ?? "DEBUG";
  const ended = (exit_code: number | null) =>
    report(ctx, action, { type: "command.completed", command, exit_code });
  report(ctx, action, { type: "command.started", command });
  try {
    const done = await run();
    const text = done.output.slice(-kept);
    if (text !== "") report(ctx, action, { type: "command.output", text });
    ended(done.exit_code);
    return done;
  } catch (error) {
    ended(null);
    throw error;
  }
}
