import type { CheckOptions, CheckResult, VerifyPlan } from "@ccw-loop/core";
import type { RunSettings } from "../verify.ts";

/** See `Verifier.check`. */
export async function check(
  _plan: VerifyPlan,
  _options: CheckOptions,
  _settings: RunSettings,
): Promise<CheckResult[]> {
  return [];
}
