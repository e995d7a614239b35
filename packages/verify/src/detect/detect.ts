import type { VerifyPlan } from "@ccw-loop/core";
import { splitChain } from "./chain.ts";
import type { Detector } from "./detector.ts";
import { dotnet } from "./dotnet.ts";
import { reportOfGiven } from "./given.ts";
import { go } from "./go.ts";
import { javascript } from "./javascript.ts";
import { gradle, maven } from "./jvm.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { planOfScripts, readPackage } from "./scripts.ts";

const script: Detector = async (cwd) => {
  const found = readPackage(cwd);
  return found ? planOfScripts(cwd, found) : null;
};

/** In this order; the first that finds its tests wins. */
const DETECTORS: readonly Detector[] = [
  ...[script, javascript, python, go, rust],
  ...[maven, gradle, dotnet, php, ruby],
];

/**
 * How the project in `cwd` is tested: the given command, else what its own files say, else null. Runs
 * nothing and writes nothing.
 */
export async function detect(cwd: string, given?: string): Promise<VerifyPlan | null> {
  if (given?.trim()) {
    const commands = splitChain(given);
    const reports = await Promise.all(commands.map((command) => reportOfGiven(cwd, command)));
    const parts = commands.map((command, at) => ({ command, report: reports[at] ?? "exit-code" }));
    return { command: given, source: "given", parts };
  }
  for (const detector of DETECTORS) {
    const plan = await detector(cwd);
    if (plan) return plan;
  }
  return null;
}
