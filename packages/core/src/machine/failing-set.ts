import { testId } from "../proof/test-ids.ts";
import { failingTests } from "../state/failing-tests.ts";
import type { LoopState } from "../state/loop-state.ts";
import { fingerprint } from "./fingerprint.ts";

/** How the last test run failed. */
export interface FailingSet {
  /** Null where the failures cannot be counted: the tests did not run, or something else is missing. */
  size: number | null;
  /** Two runs with the same one failed in the same way. */
  print: string;
}

/** Words with a digit or a path separator differ from run to run: durations, addresses, temporary files. */
const VOLATILE = /\S*[\d/\\]\S*/g;
const MESSAGE_LOOKED_AT = 300;

/** Which tests failed and how; undefined before the first run. */
export function failingSet({ receipts, skill_state }: LoopState): FailingSet | undefined {
  const receipt = receipts?.at(-1);
  if (!receipt) return undefined;
  if (receipt.passed) return { size: 0, print: fingerprint("passed") };
  const ids = failingTests(skill_state);
  if (ids.length === 0) return { size: null, print: fingerprint(lasting(receipt.reason)) };
  const named = new Set(ids);
  const how = (skill_state?.validate.test_results ?? [])
    .filter((test) => test.status === "failed" && named.has(testId(test)))
    .map((test) => `${testId(test)}: ${lasting(test.error_message ?? "")}`);
  return { size: ids.length, print: fingerprint([...ids, "", ...how].sort().join("\n")) };
}

function lasting(message: string): string {
  const first = message.slice(0, MESSAGE_LOOKED_AT).split("\n", 1)[0] ?? "";
  return first.replaceAll(VOLATILE, "#").replaceAll(/\s+/g, " ").trim();
}
