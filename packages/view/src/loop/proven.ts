import { hasPassed, type LoopState, openObjections, type Receipt } from "@ccw-loop/core";
import type { TonedLine } from "../text/paint.ts";

/** What the newest receipt of a loop proves, in one sentence. */
export function proofText(state: LoopState, receipt: Receipt): TonedLine {
  const open = openObjections(state).length;
  if (receipt.waived !== undefined) {
    return {
      tone: "warning",
      text: `It proves nothing: the tests were waived (${receipt.waived}).`,
    };
  }
  if (!receipt.passed) {
    return { tone: "bad", text: `It proves that the work is not done: ${receipt.reason}` };
  }
  if (!hasPassed(state)) {
    const text = "It proves an earlier state: these tests passed, but something changed since.";
    return { tone: "warning", text };
  }
  if (open > 0) {
    const word = open === 1 ? "objection stands" : "objections stand";
    return { tone: "warning", text: `These tests passed, but ${open} ${word} against the proof.` };
  }
  return {
    tone: "good",
    text: "It proves the work: these tests passed on the files as the loop left them.",
  };
}
