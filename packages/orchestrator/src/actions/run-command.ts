import { type ActionName, LoopError, type ProbeRun, shellWord } from "@ccw-loop/core";
import { type Execution, type RunContext, report } from "../run/context.ts";

export interface CommandToRun {
  command: string;
  /** An agent or a file named it, and no operator has since: where no sandbox holds it, the policy for agents is asked. */
  proposed: boolean;
  /** How it is run: the command itself where this is missing. */
  line?: string;
  /** Another folder than the loop's own. */
  cwd?: string | undefined;
  timeoutMs: number;
  /** People are shown the run, with the last so many characters of its output; null hides it. */
  kept: number | null;
}

/**
 * Runs a command of the loop outside of any turn: in the agent's own sandbox where it has one, else as the tests are run. No
 * process of it is left, however it ends. Rejects with the signal's reason on abort, with `command_declined` where it is an
 * agent's that the policy declines, and with a LoopError where it cannot be started.
 */
export async function runCommand(
  execution: Execution,
  { command, proposed, line = command, cwd, timeoutMs, kept }: CommandToRun,
  signal: AbortSignal,
): Promise<ProbeRun> {
  const { ctx, state } = execution;
  const { clock, verifier } = ctx.deps;
  const session = await ctx.sessions.active.get(state, signal);
  if (proposed && !session.exec) await requireAccepted(ctx, command);
  const start = async () => {
    ctx.watcher.requireLease();
    if (!session.exec)
      return verifier.probe(line, { cwd: cwd ?? ctx.cwd, scope: ctx.scope, signal, timeoutMs });
    const began = clock.monotonic();
    const there = cwd === undefined ? line : `cd ${shellWord(cwd)} || exit 125\n${line}`;
    const run = await session.exec(there, { signal, timeoutMs });
    return { ...run, duration_ms: Math.round(clock.monotonic() - began) };
  };
  return kept === null ? start() : reportRun(execution, { command, kept }, start);
}

async function requireAccepted({ deps, cwd }: RunContext, command: string): Promise<void> {
  const problem = await deps.commandProblem(command, cwd);
  if (problem === null) return;
  throw new LoopError(
    "command_declined",
    `A command that no operator named was not run: ${problem}.`,
  );
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
