import { type LoopState, replay } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { mergeExternal } from "../src/external-edits/merge.ts";
import { threeWay } from "../src/external-edits/three-way.ts";
import { AT, initialized, newLoop, paused, started } from "./loops.ts";

/** Of a document that nobody edited before. */
const merge = (base: LoopState | null, ours: LoopState, theirs: LoopState) =>
  mergeExternal({ base, writtenBy: () => null }, ours, { theirs, written: 0 }, AT);
const item = (id: string, value: number) => ({ id, value });

describe("three ways", () => {
  test.each([
    ["nothing changed", 1, 1, 1, 1, [], []],
    ["only they changed", 1, 1, 2, 2, ["x"], []],
    ["only we changed", 1, 2, 1, 2, [], []],
    ["both changed alike", 1, 2, 2, 2, [], []],
    ["both changed differently", 1, 2, 3, 2, [], ["x"]],
    ["they left it out", 1, 1, undefined, 1, [], []],
    ["they added it", undefined, undefined, 2, 2, ["x"], []],
    ["they set null", { a: 1 }, { a: 1 }, null, null, ["x"], []],
    ["different keys", { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }, ["x.b"], []],
    ["the same key", { a: 1 }, { a: 2 }, { a: 3 }, { a: 2 }, [], ["x.a"]],
    ["a key both added", {}, { a: 1 }, { a: 2 }, { a: 1 }, [], ["x.a"]],
    ["lists are one value", [1], [1, 2], [1, 3], [1, 2], [], ["x"]],
  ])("%s", (_, base, ours, theirs, value, changed, kept) => {
    expect(threeWay(base, ours, theirs, "x")).toEqual({
      ...{ value, changed, kept },
      superseded: [],
    });
  });

  test.each([
    [
      "different elements",
      [item("a", 1), item("b", 1)],
      [item("a", 2), item("b", 1)],
      [item("a", 1), item("b", 2)],
      [item("a", 2), item("b", 2)],
      [],
    ],
    ["both added", [], [item("a", 1)], [item("b", 1)], [item("a", 1), item("b", 1)], []],
    [
      "they removed one",
      [item("a", 1), item("b", 1)],
      [item("a", 1), item("b", 1)],
      [item("b", 1)],
      [item("b", 1)],
      [],
    ],
    ["we removed it", [item("a", 1)], [], [item("a", 1)], [], []],
    ["they removed what we changed", [item("a", 1)], [item("a", 2)], [], [item("a", 2)], ["x[a]"]],
    ["they changed what we removed", [item("a", 1)], [], [item("a", 2)], [], ["x[a]"]],
    [
      "they put them in another order",
      [item("a", 1), item("b", 1)],
      [item("a", 1), item("b", 2)],
      [item("b", 1), item("a", 1)],
      [item("b", 2), item("a", 1)],
      [],
    ],
  ])("lists of things with ids: %s", (_, base, ours, theirs, value, kept) => {
    const merged = threeWay(base, ours, theirs, "x");
    expect(merged.value).toEqual(value);
    expect(merged.kept).toEqual(kept);
  });

  test("a key called __proto__ changes no prototype", () => {
    const theirs = JSON.parse('{"__proto__":{"polluted":true}}');
    const merged = threeWay({}, {}, theirs, "x");
    expect(Object.getPrototypeOf(merged.value)).toBe(Object.prototype);
    expect(Object.hasOwn(Object(merged.value), "__proto__")).toBe(true);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

describe("a status of another program", () => {
  const created = newLoop("a");
  const running = replay([{ type: "loop.created", at: AT, loop: created }, started]);
  const stopped = replay([{ type: "loop.stopped", at: AT }], running);
  const left = replay([{ type: "loop.exited", at: AT }], running);
  const onHold = replay([paused], running);
  const after = (ours: LoopState, status: LoopState["status"], base = ours) => {
    const { events, kept } = merge(base, ours, { ...base, status });
    return [events.map((event) => event.type), kept];
  };

  test.each([
    ["created to running", created, "running", "loop.started"],
    ["created to failed", created, "failed", "loop.stopped"],
    ["running to paused", running, "paused", "loop.paused"],
    ["running to failed", running, "failed", "loop.stopped"],
    ["running to user_exit", running, "user_exit", "loop.exited"],
    ["paused to running", onHold, "running", "loop.resumed"],
    ["user_exit to running", left, "running", "loop.resumed"],
  ] as const)("%s is a command", (_, ours, status, type) => {
    expect(after(ours, status)).toEqual([["external.edited", type], []]);
  });

  test.each([
    ["running to completed", running, "completed"],
    ["running to created", running, "created"],
    ["created to paused", created, "paused"],
    ["failed to running", stopped, "running"],
  ] as const)("%s is none, and is kept aside", (_, ours, status) => {
    expect(after(ours, status)).toEqual([["external.edited"], ["status"]]);
  });

  test("wins over progress, and is judged by what the loop is now", () => {
    const ahead = replay([initialized("task-1")], running);
    expect(after(ahead, "paused", running)).toEqual([["external.edited", "loop.paused"], []]);
    expect(after(stopped, "paused", running)).toEqual([["external.edited"], ["status"]]);
    expect(after(onHold, "paused", running)).toEqual([[], []]);
  });

  test("that is old says nothing", () => {
    expect(after(onHold, "running", running)).toEqual([[], []]);
  });
});

describe("a document that does not say what it was made from", () => {
  test("changes an operator's fields only", () => {
    const ours = replay([initialized("task-1")], newLoop("a", { status: "running" }));
    const theirs = { ...ours, title: "Theirs", skill_state: null, current_iteration: 9 };
    const { events, kept } = merge(null, ours, theirs);
    expect(events).toMatchObject([{ type: "external.edited", state: { title: "Theirs" } }]);
    expect(events[0]).toMatchObject({ state: { skill_state: ours.skill_state } });
    expect(kept).toEqual(expect.arrayContaining(["skill_state", "current_iteration"]));
  });
});

test("tags, priority and notes can be taken out again", () => {
  const ours = newLoop("a", { tags: ["x"], priority: "low", notes: "n", limits: { max_turns: 3 } });
  const { tags: _, notes: __, limits: ___, ...theirs } = ours;
  const { events } = merge(ours, ours, theirs);
  const [edited] = events;
  if (edited?.type !== "external.edited") throw new Error("It was not taken in.");
  expect(edited.state).not.toHaveProperty("tags");
  expect(edited.state).not.toHaveProperty("notes");
  expect(edited.state).toMatchObject({ priority: "low", limits: { max_turns: 3 } });
});

test("counts are counted again", () => {
  const ours = replay([initialized("task-1", "task-2")], newLoop("a", { status: "running" }));
  const theirs = structuredClone(ours);
  const [first] = theirs.skill_state?.develop.tasks ?? [];
  if (first) first.status = "completed";
  const { events } = merge(ours, ours, theirs);
  expect(events).toMatchObject([
    { state: { skill_state: { develop: { completed: 1, total: 2 } } } },
  ]);
});
