import { isLoopError, judgeRuns, roomTimeoutOf, type VerifyPlan } from "@ccw-loop/core";
import type { Execution } from "../actions/action.ts";
import { report, scopeOf } from "../run/context.ts";

/**
 * Runs the tests once more where none of the files lies that change by themselves: what passes there does not depend
 * on them. Answers with why it does not pass, null when it does.
 */
export async function failsWithoutRestless(
  { ctx, state }: Execution,
  plan: VerifyPlan,
  commit: string | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (commit === null) return "The files without it could not be kept.";
  const { verifier, files, verifyTimeoutMs } = ctx.deps;
  const timeoutMs = roomTimeoutOf(state, verifyTimeoutMs);
  return files.inTemporary(async (folder) => {
    try {
      const { cwd } = await ctx.workspace.checkout(commit, folder);
      const there = await verifier.detect(cwd, plan.command);
      if (!there) return "No test command was found there.";
      const run = await verifier.verify(there, {
        ...{ cwd, signal, timeoutMs, scope: scopeOf(ctx) },
        onOutput: (text) => report(ctx, "VALIDATE", { type: "verify.output", text }),
      });
      const { passed, reason } = judgeRuns(state, [run]);
      return passed ? null : reason;
    } catch (error) {
      if (!signal.aborted && isLoopError(error, "verify_unavailable", "invalid_input")) {
        return error.message;
      }
      throw error;
    }
  });
}
