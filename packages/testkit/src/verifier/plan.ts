import type { VerifyPlan } from "@ccw-loop/core";

/** A plan of these commands, judged by what they print and how they exit. */
export function planOf(...commands: string[]): VerifyPlan {
  return {
    command: commands.join(" && "),
    source: "given",
    parts: commands.map((command) => ({ command, report: "exit-code" })),
  };
}
