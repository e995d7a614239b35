import type { ExecOptions, ExecResult } from "@ccw-loop/core";
import type { Execution } from "../actions/action.ts";

/**
 * Runs a command of the agent's in its own sandbox, outside of any turn; null when the agent has none. Opens the
 * session when it is not open. Rejects with the signal's reason on abort.
 */
export async function execInSession(
  { ctx, state }: Execution,
  command: string,
  options: ExecOptions,
): Promise<ExecResult | null> {
  const session = await ctx.sessions.get(state, options.signal);
  return session.exec ? session.exec(command, options) : null;
}
