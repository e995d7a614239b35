import { expect, test } from "vitest";
import {
  decide,
  evolve,
  type LoopEvent,
  type LoopState,
  OUTSIDE_KEPT,
  selectNextAction,
  timelineOf,
} from "../src/index.ts";
import { AT, begun, developed, interrupted, planned, validated, waiting } from "./given.ts";

const changed = (
  from: string,
  tree: string,
  paths: string[],
  more: Partial<Extract<LoopEvent, { type: "workspace.changed" }>> = {},
): LoopEvent => ({
  type: "workspace.changed",
  at: AT,
  from,
  tree,
  files: paths.map((path) => ({ path, kind: "modified" })),
  total: paths.length,
  driven: true,
  outdates: true,
  start: `start behind ${tree}`,
  ...more,
});

const proven = () => planned(["a"], developed("a"), validated(true));
const after = (from: LoopState, ...events: LoopEvent[]) => events.reduce(evolve, from);

test("what changed from outside makes a passing run count no more, and is named with how often", () => {
  const before = proven();
  expect(selectNextAction(before).action).toBe("COMPLETE");
  const once = evolve(before, changed("t1", "t2", ["a.log", "b.js"]));
  expect(selectNextAction(once).action).toBe("VALIDATE");
  expect(once.workspace).toMatchObject({ seen: "t2", start: "start behind t2", outdated_runs: 1 });
  const twice = evolve(once, changed("t2", "t3", ["a.log"], { driven: false, outdates: false }));
  const third = evolve(twice, changed("t3", "t4", ["a.log"]));
  expect(third.workspace?.outside).toEqual([
    { path: "b.js", at: AT, times: 1 },
    { path: "a.log", at: AT, times: 2 },
  ]);
  expect(third.workspace?.outdated_runs).toBe(1);
  expect(after(third, validated(true), changed("t4", "t5", ["a.log"])).workspace).toMatchObject({
    outdated_runs: 2,
  });
  expect(after(third, developed("a")).workspace?.outdated_runs).toBeUndefined();
});

test("a change that outdates no run leaves a failed one to DEBUG", () => {
  const failed = planned(["a"], developed("a"), validated(false));
  expect(
    selectNextAction(evolve(failed, changed("t1", "t2", ["x"], { outdates: false }))).action,
  ).toBe("DEBUG");
  expect(selectNextAction(evolve(failed, changed("t1", "t2", ["x"]))).action).toBe("VALIDATE");
});

test("the state names the newest hundred files only", () => {
  const many = Array.from({ length: OUTSIDE_KEPT }, (_, n) => `${n}`);
  const next = after(proven(), changed("t1", "t2", ["first"]), changed("t2", "t3", many));
  expect(next.workspace?.outside?.map(({ path }) => path)).toEqual(many);
});

test("the base of an action that was cut off moves with what changed from outside", () => {
  const crash = interrupted("DEVELOP");
  const cut = { ...crash, cause: "operator", tree: "t2" } as LoopEvent;
  const before = planned(["a"], begun("DEVELOP", "a"));
  expect(before.workspace?.seen ?? null).toBeNull();
  expect(evolve(before, cut).workspace?.seen).toBe("t2");
  expect(evolve(before, crash).workspace?.seen ?? null).toBeNull();
  const next = after(before, cut, changed("t2", "t3", ["x"], { base_tree: "base behind t3" }));
  expect(next.action?.base_tree).toBe("base behind t3");
});

test("a person's word that files came to rest counts them anew; our own output stays left out", () => {
  const left: LoopEvent = {
    type: "files.left_out",
    at: AT,
    files: [
      { path: "tee.log", why: "restless" },
      { path: "nohup.out", why: "output" },
    ],
    tree: "t3",
  };
  const asks = waiting({ about: "files", options: ["again"] });
  const asked = after(proven(), changed("t1", "t2", ["tee.log"]), left, asks);
  expect(asked.workspace).toMatchObject({ seen: "t3", tree: "t3" });
  expect(() => decide(asked, { type: "answer", text: "npm test" }, AT)).toThrow("again");
  const next = after(asked, ...decide(asked, { type: "answer", text: "again" }, AT));
  expect(next.waiting).toBeUndefined();
  expect(next.workspace).toMatchObject({ left_out: [{ path: "nohup.out", why: "output" }] });
  expect(next.workspace).not.toHaveProperty("outside");
  expect(next.workspace).not.toHaveProperty("outdated_runs");
  expect(next.settings?.verify).toBe(asked.settings?.verify);
});

test("the timeline has a row for what nobody did, with the checkpoint behind it", () => {
  const kept: LoopEvent = {
    type: "checkpoint.made",
    at: AT,
    checkpoint: {
      ...{ n: 4, at: AT, action: null, outside: true, commit: "c", tree: "t2" },
      ...{ files: 2, added: 3, removed: 1, skipped: [] },
    },
  };
  const events = [developed("a"), changed("t1", "t2", ["a", "b", "c", "d"]), kept];
  const entries = timelineOf(events.map((event, n) => ({ revision: n + 1, actor: "x", event })));
  expect(entries).toMatchObject([
    { action: "DEVELOP", checkpoint: null },
    {
      action: null,
      outcome: "outside",
      checkpoint: 4,
      diffstat: { files: 2, added: 3, removed: 1 },
      message: "4 files changed from outside: a, b, c, and 1 more",
    },
  ]);
});
