import type { VerifyPlan } from "@ccw-loop/core";

/** A plan of one command. */
export function planOf(command: string, source: string, report: string): VerifyPlan {
  return chainOf([command], source, report);
}

/** A plan of several commands for the same runner. */
export function chainOf(commands: readonly string[], source: string, report: string): VerifyPlan {
  return {
    command: commands.join(" && "),
    source,
    parts: commands.map((command) => ({ command, report })),
  };
}
