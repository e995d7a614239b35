import { testId } from "../proof/test-ids.ts";
import { failingTests } from "../state/derived.ts";
import type { Attempt, LoopState } from "../state/loop-state.ts";
import { fingerprint, firstOf } from "../text.ts";
import type { EndEvent, LoopEventOf } from "./events.ts";

const LENGTH = 200;
const NAMED = 3;

/** One iteration on one short line: what it tried and how that ended. */
export function describeAttempt(
  before: LoopState,
  after: LoopState,
  event: EndEvent,
  { freshTree, decided }: { freshTree: boolean; decided: number },
): Attempt {
  const text =
    event.type === "action.failed" ? `failed: ${event.message}` : textOf(after, event, decided);
  const unchanged = event.action === "DEVELOP" && !freshTree ? " (no new file content)" : "";
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

function textOf(after: LoopState, event: LoopEventOf<"action.completed">, decided: number): string {
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
  const count = `${failing.length} ${failing.length === 1 ? "test fails" : "tests fail"}`;
  return `${count}: ${firstOf(failing, NAMED)}`;
}

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
  if (ids.length === 0)
    return { size: null, print: fingerprint(withoutVolatileWords(receipt.reason)) };
  const named = new Set(ids);
  const how = (skill_state?.validate.test_results ?? [])
    .filter((test) => test.status === "failed" && named.has(testId(test)))
    .map((test) => `${testId(test)}: ${withoutVolatileWords(test.error_message ?? "")}`);
  return { size: ids.length, print: fingerprint([...ids, "", ...how].sort().join("\n")) };
}

function withoutVolatileWords(message: string): string {
  const first = message.slice(0, MESSAGE_LOOKED_AT).split("\n", 1)[0] ?? "";
  return first.replaceAll(VOLATILE, "#").replaceAll(/\s+/g, " ").trim();
}
