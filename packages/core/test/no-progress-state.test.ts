import { describe, expect, test } from "vitest";
import {
  Checkpoint,
  checkpointOf,
  decide,
  type LoopCommand,
  type LoopEvent,
  LoopState,
  replay,
  rewoundState,
  selectNextAction,
  stallLevelOf,
} from "../src/index.ts";
import { AT, after, developed, interrupted, task, waiting } from "./given.ts";
import { play, type Script } from "./scripted-loop.ts";

/** Every file new, every repair wrong. */
const circle: Script = {
  develop: (n) => ({ tree: `tree-${n}` }),
  debug: () => ({ decided: 1, fixes: 1 }),
  validate: () => ({ "cart > total": "1 is not 2" }),
};
const stuck = () => play(circle).state;

test("crashes, pauses and waits count neither as progress nor as its lack", () => {
  const cuts: LoopEvent[] = [
    { ...interrupted("DEVELOP", "crash"), cause: "crash" } as LoopEvent,
    waiting({ kind: "usage_limit" }),
    { type: "waiting.ended", at: AT, reason: "reset" },
    { type: "loop.paused", at: AT },
    { type: "loop.resumed", at: AT },
  ];
  expect(play({ ...circle, interrupted: cuts }).iterations).toBe(play(circle).iterations);
});

test("what is known of it is in the state file and comes back from there", () => {
  const state = stuck();
  const read = LoopState.parse(JSON.parse(JSON.stringify(state)));
  expect(read.stall).toEqual(state.stall);
  expect(stallLevelOf(read)).toEqual(stallLevelOf(state));
});

test("a pause takes the question away, and it is asked again", () => {
  const paused = after(stuck(), { type: "pause" });
  const resumed = after(paused, { type: "resume" });
  expect(resumed.waiting).toBeUndefined();
  expect(selectNextAction(resumed)).toMatchObject({ action: null, rule: 4, asks: "no_progress" });
});

test("the question says what was tried and what stayed the same, in bounded words", () => {
  const { waiting, stall } = stuck();
  expect(waiting?.prompt).toContain("1 test fails: cart > total");
  expect(waiting?.prompt).toMatch(/DEVELOP: fix-\d+: change \d+/);
  expect(stall?.tried).toHaveLength(10);
  const long = play({ ...circle, validate: () => ({ [`a\n${"x".repeat(9000)}`]: "no" }) });
  for (const { text } of long.state.stall?.tried ?? []) {
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text).not.toContain("\n");
  }
});

test("what it remembers stays small", () => {
  const names = (n: number) => ({ [`generated ${n}`]: "no" });
  const { stall } = play({ ...circle, validate: names, limits: { max_stalled: 60 } }).state;
  expect(stall?.trees.length).toBeLessThanOrEqual(50);
  expect(stall?.failures.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(stall).length).toBeLessThan(6000);
});

describe("goes on with", () => {
  const changes: [string, LoopCommand][] = [
    ["an answer", { type: "answer", text: "look at the cache" }],
    ["a task", { type: "add_task", task: task("x") }],
    ["another task list", { type: "reorder_tasks", task_ids: ["task-1"] }],
    ["other settings", { type: "edit", changes: { settings: { model: "other" } } }],
    ["a higher bound", { type: "edit", changes: { limits: { max_stalled: 40 } } }],
  ];
  test.each(changes)("%s", (_, command) => {
    const next = after(stuck(), command);
    expect(next.waiting).toBeUndefined();
    expect(next.stall).toMatchObject({ stalled: 0, idle: 0, tried: [] });
    expect(selectNextAction(next).action).not.toBeNull();
  });

  test.each([
    ["a note", { type: "edit", changes: { notes: "hm" } }],
    ["a title", { type: "edit", changes: { title: "Other" } }],
  ] as [string, LoopCommand][])("not with %s", (_, command) => {
    expect(after(stuck(), command).waiting?.kind).toBe("no_progress");
  });
});

test("what a person said is told until something comes of it", () => {
  const answered = after(stuck(), { type: "answer", text: "look at the cache" });
  expect(answered.stall?.guidance).toBe("look at the cache");
  const fix = answered.skill_state?.develop.tasks.find(({ status }) => status !== "completed");
  expect(fix).toBeUndefined();
  const more = after(answered, { type: "add_task", task: task("x") });
  expect(more.stall?.guidance).toBe("look at the cache");
  expect(replay([developed("x")], more).stall?.guidance).toBeUndefined();
});

test.each(["stop", "exit"] as const)("%s works while it asks", (type) => {
  expect(after(stuck(), { type }).waiting).toBeUndefined();
});

test("going back to a checkpoint is a fresh try from there", () => {
  const state = stuck();
  const checkpoint = Checkpoint.parse({ n: 0, at: AT, action: null, commit: "c", tree: "tree-0" });
  const kept = replay([{ type: "checkpoint.made", at: AT, checkpoint }], state);
  const back = rewoundState(kept, kept, checkpointOf(kept, 0));
  expect(back.stall).toMatchObject({ stalled: 0, idle: 0, tried: [] });
});

test("in interactive mode a person chooses every step, so nobody is asked", () => {
  const state = stuck();
  const { waiting: _, ...open } = state;
  const skill = state.skill_state && { ...state.skill_state, mode: "interactive" as const };
  const person = { ...open, skill_state: skill } as LoopState;
  expect(selectNextAction(person).action).toBe("MENU");
  const chosen = after(person, { type: "choose", action: "VALIDATE" });
  expect(selectNextAction(chosen).action).toBe("VALIDATE");
});

test("a cause is looked for once before the next repair", () => {
  const claims = { debug: () => ({ decided: 1, fixes: 8 }), validate: () => ({ a: "no" }) };
  const { actions } = play(claims);
  const row = actions.join(" ");
  expect(row).toMatch(/DEVELOP DEBUG DEVELOP/);
  expect(row.match(/DEVELOP DEBUG/g)).toHaveLength(1);
});

test("resume --now tries a usage limit at once, and nothing else", () => {
  const state = stuck();
  expect(() => decide(state, { type: "resume", now: true }, AT)).toThrow(/usage limit/);
  const limited: LoopState = { ...state, waiting: { kind: "usage_limit", since: AT } };
  const next = after(limited, { type: "resume", now: true });
  expect(next).toMatchObject({ status: "running" });
  expect(next.waiting).toBeUndefined();
  expect(next.stall).toEqual(state.stall);
});
