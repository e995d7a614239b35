import { failingTests } from "../state/failing-tests.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { Attempt } from "../state/stall.ts";
import type { LoopEvent } from "./events.ts";

type Ended = Extract<LoopEvent, { type: "action.completed" | "action.failed" }>;

const LENGTH = 200;
const NAMED = 3;

/** What one iteration tried and what it came to, on one short line. */
export function describeAttempt(
  before: LoopState,
  after: LoopState,
  event: Ended,
  { freshTree, decided }: { freshTree: boolean; decided: number },
): Attempt {
  const text =
    event.type === "action.failed" ? `failed: ${event.message}` : textOf(after, event, decided);
  const unchanged = event.action === "DEVELOP" && !freshTree ? " (no file is as never before)" : "";
  const line = text
    .toWellFormed()
    .slice(0, 4 * LENGTH)
    .replaceAll(/\s+/g, " ")
    .trim();
  return {
    iteration: before.current_iteration + 1,
    action: event.action,
    text: `${line.slice(0, LENGTH - unchanged.length).toWellFormed()}${unchanged}`,
  };
}

function textOf(
  after: LoopState,
  event: Extract<Ended, { type: "action.completed" }>,
  decided: number,
): string {
  const { output } = event;
  switch (output.action) {
    case "DEVELOP":
      return `${output.task_id}: ${output.summary}`;
    case "DEBUG": {
      const ideas = output.hypotheses.filter(({ status }) => status !== "pending");
      const told = ideas.map(({ id, status, description }) => `${status} ${id}: ${description}`);
      if (decided > 0 || told.length > 0) return told.join("; ");
      return `no hypothesis was decided: ${output.understanding}`;
    }
    case "VALIDATE":
      return failureText(after);
    default:
      return event.message;
  }
}

/** What the last test run says, on one line. */
export function failureText(state: LoopState): string {
  const receipt = state.receipts?.at(-1);
  if (!receipt) return "the tests were not run";
  if (receipt.passed) return "the tests passed";
  const failing = failingTests(state.skill_state);
  if (failing.length === 0) return receipt.reason;
  const more = failing.length > NAMED ? `, and ${failing.length - NAMED} more` : "";
  const count = `${failing.length} ${failing.length === 1 ? "test fails" : "tests fail"}`;
  return `${count}: ${failing.slice(0, NAMED).join(", ")}${more}`;
}
