import { type LiveEvent, type LoopEvent, LoopState, Receipt } from "@ccw-loop/core";
import { applyEvent, initialProgress, type Progress } from "@ccw-loop/view";

export const AT = "2026-01-22T10:00:00.000Z";

/** A loop with two tasks that INIT has planned. */
export const loop = LoopState.parse({
  loop_id: "cart",
  title: "Fix the cart",
  status: "running",
  created_at: AT,
  updated_at: AT,
});

export type EventInput = {
  [T in LoopEvent["type"]]: Omit<Extract<LoopEvent, { type: T }>, "at">;
}[LoopEvent["type"]];

let revision = 0;
export function recorded(event: EventInput): LiveEvent {
  revision += 1;
  const full = { at: AT, ...event } as LoopEvent;
  return { kind: "recorded", id: "cart", recorded: { revision, actor: "test", event: full } };
}

export function receipt(passed: boolean): Receipt {
  return Receipt.parse({
    id: "receipt-1",
    iteration: 1,
    command: "npm test",
    cwd: "/project",
    started_at: AT,
    duration_ms: 1500,
    exit_code: passed ? 0 : 1,
    report: "junit",
    counts: { total: 5, passed: passed ? 5 : 3, failed: passed ? 0 : 2, skipped: 0 },
    passed,
    reason: passed ? "All tests passed." : "2 tests failed.",
    tree_before: "aaaa",
    tree_after: "bbbb",
    test_files: { "test/cart.js": "0123456789abcdef" },
  });
}

const start = (
  action: Extract<LoopEvent, { type: "action.started" }>["action"],
  task_id: string | null = null,
) => recorded({ type: "action.started", action, attempt: 1, task_id, tree: null });

const end = (output: Extract<LoopEvent, { type: "action.completed" }>["output"], message: string) =>
  recorded({ type: "action.completed", action: output.action, output, active_ms: 10, message });

export const init = (...descriptions: string[]): LiveEvent[] => [
  start("INIT"),
  end(
    {
      action: "INIT",
      mode: "auto",
      tasks: descriptions.map((description, i) => ({
        id: `task-00${i + 1}`,
        description,
        tool: "codex",
        mode: "write",
        status: "pending",
        files_changed: [],
        created_at: AT,
        completed_at: null,
      })),
    },
    "Planned.",
  ),
];

export const develop = (task_id: string): LiveEvent[] => [
  start("DEVELOP", task_id),
  end({ action: "DEVELOP", task_id, summary: "Done.", files_changed: ["src/cart.js"] }, "Rounded."),
];

export const validate = (passed: boolean): LiveEvent[] => [
  start("VALIDATE"),
  end(
    { action: "VALIDATE", receipt: receipt(passed), test_results: [], coverage: null },
    "Tests ran.",
  ),
];

export const debug = (): LiveEvent[] => [
  start("DEBUG"),
  end(
    {
      action: "DEBUG",
      active_bug: "rounding",
      understanding: "Cents are not rounded.",
      hypotheses: [],
      confirmed_hypothesis: null,
      fix_tasks: [],
      files_changed: [],
    },
    "The cause is known.",
  ),
];

export const complete = (): LiveEvent[] => [
  start("COMPLETE"),
  end({ action: "COMPLETE", summary: {} }, "All done."),
  recorded({ type: "loop.completed", outcome: { code: "proven", message: "The tests passed." } }),
];

export { start };

export function after(...events: LiveEvent[]): Progress {
  return events.reduce(applyEvent, initialProgress(loop));
}

export function output(text: string): LiveEvent {
  return {
    kind: "activity",
    id: "cart",
    activity: { at: AT, action: "DEVELOP", event: { type: "command.output", text } },
  };
}

export function said(
  text: string,
  type: "message.delta" | "message.completed" = "message.delta",
): LiveEvent {
  return {
    kind: "activity",
    id: "cart",
    activity: { at: AT, action: "DEVELOP", event: { type, text } },
  };
}
