import { type LoopState, summaryOf } from "@ccw-loop/core";
import { type Loops, noLoops, overviewOf, withChanged, withListed } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { emptyField, fieldOf } from "../src/model/field.ts";
import { type HomeState, startOfHome } from "../src/model/screen-states.ts";
import { listOf, selectedEntry, selecting, stepped } from "../src/screens/home/list.ts";
import { nextStep } from "../src/screens/home/next-step.ts";
import { listed } from "./support/listed.ts";
import { after, ended, made } from "./support/some-loops.ts";

const created = await made({ id: "new", title: "alpha 10" }, 30);
const other = await made(
  { id: "old", title: "Alpha 9", tags: ["cart"], description: "rounding" },
  90,
);
const running = after(await made({ id: "run", title: "beta" }, 80), 40, { type: "start" });
const asks = after(running, 10, {
  type: "waiting.started",
  waiting: { kind: "input", since: "2026-01-22T09:50:00.000Z", prompt: "Which port?" },
});
const waiting = { ...asks, loop_id: "ask", title: "gamma" };
const failed = after(running, 20, {
  type: "loop.failed",
  outcome: { code: "agent_unavailable", message: "No agent." },
});
const lost = { ...failed, loop_id: "lost", title: "delta" };
const damaged = [{ id: "broken", reason: "It is not JSON." }];

const all = (states: readonly LoopState[], more: Partial<Loops> = {}): Loops => ({
  ...withListed(noLoops, listed(states)),
  ...more,
});

const HERE = { name: "/repo/shop", drives: true };
const loops = all([created, other, running, waiting, lost], { damaged });
const like = (change: Partial<HomeState>): HomeState => ({ ...startOfHome, ...change });
const idsOf = (state: HomeState, of = loops) => listOf(state, of).entries.map(({ id }) => id);

describe("order", () => {
  test.each([
    ["health", ["ask", "run", "lost", "new", "old", "broken"]],
    ["newest", ["ask", "lost", "new", "run", "old", "broken"]],
    ["oldest", ["old", "run", "new", "lost", "ask", "broken"]],
    ["name", ["old", "new", "run", "lost", "ask", "broken"]],
  ] as const)("by %s", (sort, ids) => {
    expect(idsOf(like({ sort }))).toEqual(ids);
  });

  test("by health every health has a head with its number, and what cannot be read comes last", () => {
    const heads = listOf(startOfHome, loops).lines.filter((item) => "count" in item);
    expect(heads.map(({ health, count }) => [health, count])).toEqual([
      ["waiting", 1],
      ["running", 1],
      ["failed", 1],
      ["resting", 2],
      ["damaged", 1],
    ]);
  });

  test.each([
    ["resting", ["new", "old"]],
    ["done", []],
    ["damaged", ["broken"]],
  ] as const)("only %s", (health, ids) => {
    expect(idsOf(like({ health }))).toEqual(ids);
  });

  test.each([
    ["ALPHA", ["new", "old"]],
    ["alpha 9", ["old"]],
    ["rounding", ["old"]],
    ["cart alpha", ["old"]],
    ["brok", ["broken"]],
    ["  ", ["ask", "run", "lost", "new", "old", "broken"]],
    ["[", []],
  ] as const)("that have the words %j", (text, ids) => {
    expect(idsOf(like({ search: fieldOf(text) }))).toEqual(ids);
  });

  test("is worked out once as long as the rows are the same", () => {
    expect(listOf(startOfHome, loops)).toBe(listOf(like({ selected: "run" }), { ...loops }));
    expect(idsOf(startOfHome, withChanged(loops, [{ id: "run", summary: null }]))).not.toContain(
      "run",
    );
  });
});

describe("selection", () => {
  const ids = (state: HomeState, of = loops) => selectedEntry(state, of)?.id;
  const step = (state: HomeState, move: Parameters<typeof stepped>[2]["move"]) =>
    stepped(state, loops, { move, page: 3 });

  test("is the first one in the beginning, and moves no further than to the ends", () => {
    expect(ids(startOfHome)).toBe("ask");
    expect(ids(step(step(startOfHome, "up"), "down"))).toBe("run");
    expect(ids(step(startOfHome, "pagedown"))).toBe("new");
    expect(ids(step(step(startOfHome, "end"), "down"))).toBe("broken");
  });

  test("stays with its loop wherever that goes", () => {
    const state = step(startOfHome, "down");
    expect(ids({ ...state, sort: "oldest" })).toBe("run");
    const summary = summaryOf(after(running, 1, { type: "pause" }));
    expect(ids(state, withChanged(loops, [{ id: "run", summary }]))).toBe("run");
  });

  test("goes to the one in its place when its loop is gone", () => {
    const state = step(step(startOfHome, "down"), "down");
    expect(ids(state, withChanged(loops, [{ id: "lost", summary: null }]))).toBe("new");
    const last = step(startOfHome, "end");
    expect(ids(last, { ...loops, damaged: [] })).toBe("old");
  });

  test("is nothing where nothing is listed", () => {
    expect(ids(startOfHome, noLoops)).toBeUndefined();
    expect(stepped(startOfHome, noLoops, { move: "down", page: 3 })).toBe(startOfHome);
  });

  test("of a loop that is hidden ends what hides it", () => {
    const hiding = like({ health: "done", search: fieldOf("x") });
    const state = selecting(hiding, loops, "run");
    expect(state).toMatchObject({ health: null, search: emptyField, selected: "run", at: 1 });
    expect(selecting(like({ health: "running" }), loops, "run").health).toBe("running");
  });
});

describe("next step", () => {
  const stuck = { ...ended("no-progress", "stuck", "epsilon"), revision: 1 };
  const stopped = { ...after(created, 1, { type: "stop" }), loop_id: "stopped" };
  test.each([
    ["nothing is known yet", all([], { complete: false }), undefined],
    ["there is no loop", all([]), { id: null, binding: "home.new", text: "Make the first loop" }],
    ["a loop waits", loops, { id: "ask", text: '"gamma" waits for input: Which port?' }],
    ["one is stuck", all([stuck, lost], { damaged }), { id: "stuck" }],
    ["one cannot be read", all([lost], { damaged }), { id: "broken", binding: null }],
    ["one failed", all([lost, created]), { id: "lost", binding: "home.next" }],
    ["one is not started", all([running, other, created]), { id: "new", text: 'Start "alpha 10"' }],
    [
      "all run",
      all([running]),
      { id: null, binding: null, text: "Nothing needs you; 1 loop runs." },
    ],
    ["all are done with", all([stopped]), { id: null, binding: "home.new" }],
  ])("when %s", (_, of, expected) => {
    const step = nextStep({ loops: of, place: HERE });
    if (expected === undefined) expect(step).toBeUndefined();
    else expect(step).toMatchObject(expected);
  });

  test("a loop that cannot be read is named with the way to save it", () => {
    expect(nextStep({ loops: all([], { damaged }), place: HERE })?.text).toBe(
      "Run ccw-loop recover broken: it is damaged",
    );
  });
});

test("the numbers are those of all loops", () => {
  expect(overviewOf(loops.rows).counts).toEqual({
    waiting: 1,
    stuck: 0,
    undriven: 0,
    running: 1,
    failed: 1,
    resting: 2,
    done: 0,
  });
});
