import { isUnsettled } from "../proof/objections.ts";
import { testStates } from "../proof/test-ids.ts";
import {
  confirmingEvidence,
  type Hypothesis,
  type ProbeEvidence,
  withEvidence,
} from "../state/hypothesis.ts";
import type { SkillState } from "../state/skill-state.ts";
import type { OutputOf } from "./events.ts";

/**
 * Updates confirmed causes after a VALIDATE. A cause whose tests still fail is open again. One whose tests pass is
 * closed and settled if its probe shows after the fix that it does not hold any more; if the probe does not show that,
 * it stays confirmed. A cause of an older version, which no comparison confirmed, is closed by passing tests alone.
 */
export function settleCauses(
  debug: SkillState["debug"],
  output: OutputOf<"VALIDATE">,
  at: string,
): SkillState["debug"] {
  const { probes = [] } = output;
  const hypotheses = debug.hypotheses.map((idea) => {
    const again = probes.filter(({ hid }) => hid === idea.id);
    const probed = again.reduce(withEvidence, idea);
    return isUnsettled(idea) ? settled(probed, again.at(-1), output, at) : probed;
  });
  const id = debug.confirmed_hypothesis;
  const open = hypotheses.some((h) => h.id === id && h.status === "confirmed");
  return { ...debug, hypotheses, confirmed_hypothesis: open ? id : null };
}

function settled(
  cause: Hypothesis,
  again: ProbeEvidence | undefined,
  { receipt, test_results }: OutputOf<"VALIDATE">,
  at: string,
): Hypothesis {
  const states = receipt.tests ?? testStates(test_results);
  const { explains = [], verdict_reason } = cause;
  // Where it names no test, the whole run decides.
  const red = explains.filter((test) => states[test] !== "passed");
  if (explains.length === 0 ? !receipt.passed : red.length > 0) {
    const what = red.length === 0 ? "the tests" : red.slice(0, 3).join("; ");
    const reason = `Reopened: after its fix ${what} still failed.`;
    return {
      ...cause,
      status: "inconclusive",
      verdict_reason: [verdict_reason, reason].filter(Boolean).join(" "),
    };
  }
  if (!confirmingEvidence(cause)) return { ...cause, closed_at: at };
  const flipped = again?.data.shows === "does_not_hold" && again.data.not_run === undefined;
  return flipped ? { ...cause, closed_at: at, settled_at: at } : cause;
}
