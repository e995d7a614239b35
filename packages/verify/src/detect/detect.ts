import type { VerifyPlan } from "@ccw-loop/core";
import { cargo, type Detector, go, gradle, javascript, maven, python } from "./runners.ts";
import { planOfScripts, readPackage, runnerOfGiven } from "./scripts.ts";

const script: Detector = async (cwd) => {
  const found = readPackage(cwd);
  return found ? planOfScripts(cwd, found) : null;
};

/** In this order; the first that finds its tests wins. */
const DETECTORS: readonly Detector[] = [script, javascript, python, go, cargo, maven, gradle];

/**
 * How the project in `cwd` is tested: the given command, else what its own files say, else null. Runs
 * nothing and writes nothing.
 */
export async function detect(cwd: string, given?: string): Promise<VerifyPlan | null> {
  if (given?.trim()) {
    return { command: given, source: "given", report: runnerOfGiven(cwd, given) };
  }
  for (const detector of DETECTORS) {
    const plan = await detector(cwd);
    if (plan) return plan;
  }
  return null;
}
