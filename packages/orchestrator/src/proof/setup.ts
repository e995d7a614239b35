import {
  type Baseline,
  decide,
  isLoopError,
  LoopError,
  type Missing,
  modeOf,
  testTimeoutOf,
} from "@ccw-loop/core";
import type { Execution } from "../actions/action.ts";
import { nowOf, scopeOf } from "../run/context.ts";

/** What its tests need is not there: no turn of an agent is worth its price before that is mended. */
export function testsCannotRun(missing: readonly Missing[], cause?: unknown): LoopError {
  const what = missing.map(({ message }) => message).join(" ");
  const command = commandFor(missing);
  const next =
    command === null ? "Bring it, or name other tests with --verify." : `Run: ${command}`;
  const message = `The tests cannot be run here. ${what} ${next}`;
  return new LoopError("verify_unavailable", message, { details: { missing }, cause });
}

function commandFor(missing: readonly Missing[]): string | null {
  const commands = missing.map(({ command }) => command);
  return commands.includes(null) ? null : [...new Set(commands)].join(" && ");
}

/** Runs the operator's command that installs what the tests need. Throws `verify_unavailable` when it fails. */
export async function runSetup(
  { ctx, state }: Execution,
  signal: AbortSignal,
): Promise<Baseline["setup"]> {
  const command = state.settings?.setup;
  if (!command?.trim()) return undefined;
  const { verifier, verifyTimeoutMs } = ctx.deps;
  const timeoutMs = testTimeoutOf(state, verifyTimeoutMs);
  const options = { cwd: ctx.cwd, signal, timeoutMs, scope: scopeOf(ctx) };
  const { exit_code, duration_ms, output, timed_out } = await verifier.probe(command, options);
  if (exit_code === 0) return { command, duration_ms };
  const end = timed_out ? "was ended by the time limit" : `exited with ${exit_code ?? "a signal"}`;
  const [last = ""] = output.trim().split("\n").slice(-1);
  throw new LoopError(
    "verify_unavailable",
    `The setup command "${command}" ${end}. ${last} Correct it, or leave --setup out.`,
    { details: { command, output: output.slice(-2000) } },
  );
}

/**
 * Asks the person at an interactive loop whether the command that brings what is missing may be run. Answers with the
 * execution of a loop that runs it; null where nobody is asked, or the answer is no.
 */
export async function offerSetup(execution: Execution, error: unknown): Promise<Execution | null> {
  const { ctx, state, asking } = execution;
  if (!isLoopError(error, "verify_unavailable")) return null;
  const missing = (error.details.missing ?? []) as readonly Missing[];
  const setup = commandFor(missing);
  const ask = modeOf(state) === "interactive" ? ctx.askSetup : undefined;
  if (!ask || missing.length === 0 || setup === null) return null;
  if (!(await asking(ask(missing, state)))) return null;
  const { state: newest } = await ctx.recorder.record((current) =>
    decide(current, { type: "edit", changes: { settings: { setup } } }, nowOf(ctx)),
  );
  return { ...execution, state: newest };
}
