import { type PlanPart, typedCommand, type VerifyPlan } from "@ccw-loop/core";
import { splitChain } from "./chain.ts";
import { givenPart } from "./given.ts";
import { suitesOf } from "./suites.ts";

/**
 * How the project in `cwd` is tested: the given command, else what its own files say, else null. Runs
 * nothing and writes nothing.
 */
export async function detect(cwd: string, given?: string): Promise<VerifyPlan | null> {
  if (given?.trim()) {
    return {
      command: given,
      source: "given",
      parts: splitChain(given).map((one) => givenPart(cwd, one)),
    };
  }
  const parts = await suitesOf(cwd);
  if (parts.length === 0) return null;
  const command = parts.map(typedCommand).join(" && ");
  return { command, source: sourcesOf(parts).join(", "), parts };
}

function sourcesOf(parts: readonly PlanPart[]): string[] {
  return [...new Set(parts.flatMap(({ source }) => source ?? []))];
}
