import { type Activity, LoopState, type RecordedEvent, type Selection } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { headline, homeCommands, spentByTurn, testGrid, undrivenText } from "../src/index.ts";
import { agentLine } from "../src/loop/activity.ts";
import { whyRows } from "../src/loop/why.ts";

const AT = "2026-01-22T10:00:00.000Z";

function loopThat(more: Record<string, unknown>): LoopState {
  const loop = { loop_id: "a", title: "A", status: "completed", created_at: AT, updated_at: AT };
  return LoopState.parse({ ...loop, workspace: { path: "/w", branch: "ccw-loop/a" }, ...more });
}

test.each([
  ["proven", "good", "Completed and proven:"],
  ["accepted", "warning", "Completed, objections accepted:"],
  ["waived", "warning", "Completed, tests waived:"],
])("the headline of a loop that ended as %s", (code, tone, words) => {
  expect(headline(loopThat({ outcome: { code, message: "", at: AT } }))).toEqual([tone, words]);
});

test.each([
  [undefined, "ccw-loop resume a"],
  ["/opt/agent.js", "ccw-loop resume a --agent /opt/agent.js"],
])("a loop of agent %s that nobody drives names the command that drives it", (agent, command) => {
  const state = loopThat({ status: "running", ...(agent ? { settings: { agent } } : {}) });
  const text = undrivenText(state, AT, new Date("2026-01-22T10:05:00.000Z"));
  expect(text).toMatch(/^Nobody has driven loop a since .*5m ago/);
  expect(text.endsWith(`Drive it with: ${command}`)).toBe(true);
});

const url = "https://git.example/shop.git";

test("the work of a loop that brought its repository is fetched from its git server", () => {
  const clone = { settings: { repository: { url } } };
  expect(homeCommands(loopThat(clone))).toEqual([`git fetch ${url} ccw-loop/a`]);
  expect(homeCommands(loopThat({}))).toEqual(["git merge ccw-loop/a", "ccw-loop clean"]);
  expect(homeCommands(loopThat({ ...clone, status: "paused" }))).toEqual([]);
  expect(homeCommands(loopThat({ workspace: undefined }))).toEqual([]);
});

const turn = (cost_usd?: number) =>
  ({ event: { type: "turn.completed", cost_usd } }) as unknown as RecordedEvent;

test("what was spent is summed turn by turn, of those whose cost is known", () => {
  const other = { event: { type: "loop.stopped" } } as unknown as RecordedEvent;
  expect(spentByTurn([turn(0.5), other, turn(), turn(0.25)])).toEqual([0.5, 0.75]);
  expect(spentByTurn([turn(), other])).toEqual([]);
});

const progress = (more: object) =>
  agentLine({
    ...{ type: "verify.progress", command: "npm test", done: 0, failed: 0, running: [] },
    elapsed_ms: 31_000,
    ...more,
  } as Activity["event"])?.text;

test.each<[object, string]>([
  [{}, "npm test: running, 31s"],
  [{ done: 12, total: 40 }, "npm test: 12 of 40 tests done, 31s"],
  // There are more than before.
  [{ done: 41, total: 40 }, "npm test: 41 tests done, 31s"],
  [
    { done: 12, failed: 1, running: ["cart > half"] },
    "npm test: 12 tests done, 1 failed, 31s; running: cart > half",
  ],
])("a run of the tests says how far it is: %o", (more, text) => {
  expect(progress(more)).toBe(text);
});

test("why says what is being done, and since when", () => {
  const started_at = "2026-01-01T10:00:00.000Z";
  const state = (action: object) =>
    loopThat({ status: "running", action: { attempt: 1, started_at, ...action } });
  const selection = { action: "VALIDATE", rule: 1, reason: "", guards: [] } as unknown as Selection;
  const rows = (of: LoopState) =>
    whyRows({ ...selection, undriven_since: null } as never, of, new Date("2026-01-01T10:00:31Z"));
  const now = (of: LoopState) => rows(of).find(([name]) => name === "Now")?.[1];
  expect(now(state({ name: "VALIDATE" }))).toEqual([
    "VALIDATE: the tests are run, since 2026-01-01T10:00:00.000Z (31s)",
  ]);
  expect(now(state({ name: "DEVELOP" }))).toEqual([
    "DEVELOP, since 2026-01-01T10:00:00.000Z (31s)",
  ]);
  expect(now(state({ name: "VALIDATE", interrupted: "cut off" }))).toEqual([]);
});

const counts = { total: 2, passed: 1, failed: 1, skipped: 0 };

function recorded(event: object, revision: number): RecordedEvent {
  return { revision, actor: "t", event: { at: AT, ...event } } as unknown as RecordedEvent;
}

function validated(iteration: number, tests: object, waived?: string): object {
  const passed = !Object.values(tests).includes("failed");
  const receipt = { iteration, passed, counts, tests, ...(waived === undefined ? {} : { waived }) };
  const output = { action: "VALIDATE", receipt, test_results: [], coverage: 80 };
  return { type: "action.completed", action: "VALIDATE", message: "", output };
}

test("the grid has every run from the start on, and every test with how it ended in each", () => {
  const baseline = { at: AT, counts, coverage: null, tests: { old: "passed", owed: "failed" } };
  const { runs, rows } = testGrid([
    recorded({ type: "baseline.measured", baseline }, 1),
    recorded(validated(2, { old: "passed", owed: "failed", added: "passed" }), 2),
    recorded(validated(3, {}, "none are here"), 3),
    recorded(validated(4, { old: "passed", owed: "passed", broken: "failed" }), 4),
  ]);
  expect(runs.map(({ iteration, rate, coverage }) => [iteration, rate, coverage])).toEqual([
    [0, 0.5, null],
    [2, 0.5, 80],
    [4, 0.5, 80],
  ]);
  expect(runs.map(({ passed }) => passed)).toEqual([false, false, false]);
  expect(rows).toEqual([
    { test: "broken", states: [undefined, undefined, "failed"] },
    { test: "owed", states: ["failed", "failed", "passed"] },
    { test: "added", states: [undefined, "passed", undefined] },
    { test: "old", states: ["passed", "passed", "passed"] },
  ]);
});

test("a loop whose tests were never run has an empty grid", () => {
  expect(testGrid([])).toEqual({ runs: [], rows: [] });
});
