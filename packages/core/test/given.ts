import {
  type ActionName,
  type ActionOutput,
  decide,
  Hypothesis,
  type LoopCommand,
  type LoopEvent,
  LoopState,
  NewTask,
  Objection,
  type ProbeEvidence,
  Receipt,
  replay,
  Square,
  type TaskRun,
  type TaskTool,
  type Waiting,
} from "../src/index.ts";

export const AT = "2026-01-22T10:00:00.000Z";

export function loop(changes: Partial<LoopState> = {}): LoopState {
  return LoopState.parse({
    loop_id: "loop-a",
    title: "Fix the cart",
    description: "Fix the cart",
    status: "created",
    created_at: AT,
    updated_at: AT,
    settings: { mode: "auto" },
    ...changes,
  });
}

export const created = (changes: Partial<LoopState> = {}): LoopEvent => ({
  type: "loop.created",
  at: AT,
  loop: loop(changes),
});
export const started: LoopEvent = { type: "loop.started", at: AT };

export function begun(
  action: "INIT" | "DEVELOP" | "DEBUG" | "VALIDATE" | "COMPLETE",
  task_id: string | null = null,
  attempt = 1,
): LoopEvent {
  return { type: "action.started", at: AT, action, attempt, task_id, tree: "tree-0" };
}

export function task(id: string, changes: Partial<NewTask> = {}): NewTask & { tool: TaskTool } {
  const { tool = "codex", ...rest } = NewTask.parse({ id, description: `do ${id}`, ...changes });
  return { ...rest, tool };
}

export function done(output: ActionOutput): LoopEvent {
  const { action } = output;
  return { type: "action.completed", at: AT, action, output, active_ms: 10, message: "ok" };
}

export const initialized = (...ids: string[]): LoopEvent =>
  done({ action: "INIT", mode: "auto", tasks: ids.map((id) => task(id)) });

type Ran = { command_run?: TaskRun };

export const developed = (task_id: string, ran: Ran = {}): LoopEvent =>
  done({ action: "DEVELOP", task_id, summary: "did it", files_changed: ["a.js"], ...ran });

export function debugged(changes: Partial<Extract<ActionOutput, { action: "DEBUG" }>> = {}) {
  return done({
    action: "DEBUG",
    active_bug: "the cart",
    understanding: "it rounds twice",
    hypotheses: [],
    confirmed_hypothesis: null,
    fix_tasks: [],
    files_changed: [],
    ...changes,
  });
}

export function objection(changes: Partial<Objection> = {}): Objection {
  return Objection.parse({
    key: "skipped:a.test.js:1",
    kind: "skipped",
    path: "a.test.js",
    message: "A test is skipped now.",
    ...changes,
  });
}

export function receipt(passed: boolean, changes: Partial<Receipt> = {}): Receipt {
  return Receipt.parse({
    id: "receipt-001",
    iteration: 1,
    command: "npm test",
    cwd: "/project",
    started_at: AT,
    duration_ms: 5,
    exit_code: passed ? 0 : 1,
    report: "junit",
    counts: { total: 2, passed: passed ? 2 : 1, failed: passed ? 0 : 1, skipped: 0 },
    passed,
    reason: passed ? "2 of 2 tests passed." : "1 of 2 tests failed.",
    tree_before: "tree-1",
    tree_after: "tree-1",
    ...(passed && changes.waived === undefined ? { square: square() } : {}),
    ...changes,
  });
}

/** Four runs that prove something. */
export function square(): Square {
  const counts = { total: 2, passed: 2, failed: 0, skipped: 0 };
  const cell = {
    command: "npm test",
    exit_code: 0,
    counts,
    reason: "2 tests passed.",
    duration_ms: 5,
  };
  const room = { ...cell, where: "clean_room" };
  return Square.parse({
    start: { tree: "tree-0", commit: "c0" },
    present: { tree: "tree-1", commit: "c1" },
    sources: ["a.js"],
    cells: {
      baseline: { ...cell, where: "in_place" },
      verdict: room,
      present: { ...cell, where: "in_place" },
    },
    witnesses: ["cart > total"],
  });
}

export function validated(
  passed: boolean,
  changes: Partial<Receipt> = {},
  probes: ProbeEvidence[] = [],
): LoopEvent {
  return done({
    action: "VALIDATE",
    ...(probes.length > 0 ? { probes } : {}),
    receipt: receipt(passed, changes),
    coverage: null,
    test_results: passed
      ? []
      : [
          {
            test_name: "total",
            suite: "cart",
            status: "failed",
            duration_ms: 1,
            error_message: "1 is not 2",
            stack_trace: null,
          },
        ],
  });
}

export function failed(
  action: "INIT" | "DEVELOP" | "DEBUG" | "VALIDATE",
  task_id: string | null = null,
  ran: Ran = {},
): LoopEvent {
  const facts = { task_id, message: "no", code: "action_failed", active_ms: 10, ...ran };
  return { type: "action.failed", at: AT, action, ...facts };
}

export const state = (...events: LoopEvent[]): LoopState => replay(events);

/** A running loop with this plan, and what came of it. */
export const planned = (ids: readonly string[], ...events: LoopEvent[]): LoopState =>
  state(created(), started, initialized(...ids), ...events);

/** What a command makes of a loop. */
export const after = (before: LoopState, command: LoopCommand): LoopState =>
  replay(decide(before, command, AT), before);

export function waiting(changes: Partial<Waiting> = {}): LoopEvent {
  return { type: "waiting.started", at: AT, waiting: { kind: "input", since: AT, ...changes } };
}

export function interrupted(action: ActionName, reason = "x"): LoopEvent {
  return { type: "action.interrupted", at: AT, action, reason, active_ms: 1 };
}

/** A run of the probe of `hid`, which predicts exit code 1 if it holds, and 0 if not. */
export function probeRun(hid: string, data: Partial<ProbeEvidence["data"]> = {}): ProbeEvidence {
  const exits = (value: number) => [{ kind: "exit_code" as const, compare: "=" as const, value }];
  const probe = { command: "node p.js", if_holds: exits(1), if_not: exits(0) };
  const shown = { command: "node p.js", exit_code: 1, duration_ms: 3, output: "", probe };
  return { hid, ts: 0, func: "probe", data: { ...shown, instrumented: [], ...data } };
}

export function confirmedCause(changes: Partial<Hypothesis> = {}): Hypothesis {
  const evidence = [probeRun("H1", { shows: "holds" })];
  return Hypothesis.parse({
    id: "H1",
    description: "x",
    status: "confirmed",
    evidence,
    ...changes,
  });
}

/** The same probe, run after the fix. */
export const afterFix = (shows: NonNullable<ProbeEvidence["data"]["shows"]>): ProbeEvidence =>
  probeRun("H1", { shows, after_fix: true });
