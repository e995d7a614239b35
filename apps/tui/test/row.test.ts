import { type LoopState, summaryOf } from "@ccw-loop/core";
import { overviewOf, rowOf as rowOfSummary, rowStatus, undrivenRow } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import type { Recording } from "./support/recorded-loop.ts";
import { after, ended, made, NOW } from "./support/some-loops.ts";

const rowOf = (state: LoopState) => rowOfSummary(summaryOf(state));

describe("health", () => {
  test.each([
    ["menu", "waiting"],
    ["objections", "waiting"],
    ["no-progress", "stuck"],
    ["usage-limit", "running"],
    ["out-of-iterations", "failed"],
    ["codex", "done"],
  ] as const satisfies readonly [Recording, string][])(
    "a loop that ended as %s is %s",
    (name, health) => {
      expect(rowOf(ended(name, "a", "A")).health).toBe(health);
    },
  );

  test("a new loop rests, a started one runs, a paused and a stopped one rest", async () => {
    const created = await made({});
    const running = after(created, 5, { type: "start" });
    const states = [
      created,
      running,
      after(running, 4, { type: "pause" }),
      after(running, 4, { type: "stop" }),
    ];
    expect(states.map((state) => rowOf(state).health)).toEqual([
      "resting",
      "running",
      "resting",
      "resting",
    ]);
  });

  test("a running loop without progress for long is stuck before it asks", async () => {
    const running = after(await made({}), 5, { type: "start" });
    const stalled = { ...running, stall: { ...ended("no-progress", "a", "A").stall, stalled: 40 } };
    expect(rowOf(stalled as typeof running).health).toBe("stuck");
  });
});

test("a row tells what a list shows", async () => {
  const spec = { id: "a", title: "Add a flag", tags: ["cart"], max_iterations: 7 };
  const created = await made({ ...spec, description: "Long, with a WORD" }, 60);
  expect(rowOf(after(created, 5, { type: "start" }))).toEqual({
    id: "a",
    title: "Add a flag",
    status: "running",
    outcome: null,
    health: "running",
    waits: null,
    until: null,
    undrivenSince: null,
    action: null,
    iteration: 0,
    maxIterations: 7,
    tests: null,
    tasks: { done: 0, total: 0 },
    used: { share: 0, bound: "iterations" },
    tags: ["cart"],
    updatedAt: Date.parse("2026-01-22T09:55:00.000Z"),
    haystack: "a\nadd a flag\ncart\nlong, with a word",
    revision: 2,
  });
  expect(NOW).toBe("2026-01-22T10:00:00.000Z");
});

test("a row tells what the last test run said, and the bound that is nearest", () => {
  const row = rowOf(ended("out-of-iterations", "a", "A"));
  expect(row.tests).toEqual({ passed: 3, failed: 2 });
  expect(row.used).toEqual({ share: 1, bound: "iterations" });
  expect(row.outcome).toBe("max_iterations");
  expect(row.action).toBe("COMPLETE");
});

test("only a running loop goes on by itself", () => {
  const limited = ended("usage-limit", "a", "A");
  expect(rowOf(limited).until).toBe(limited.waiting?.until);
  expect(rowOf(limited).waits).toContain("usage limit");
  expect(rowOf(after(limited, 0, { type: "pause" })).until).toBeNull();
});

test("a running loop that nobody drives says so on the list, until somebody drives it", async () => {
  const since = "2026-01-22T09:58:00.000Z";
  const row = rowOf(after(await made({ id: "a", description: "x" }), 5, { type: "start" }));
  const left = undrivenRow(row, since);
  expect([left.health, rowStatus(left)]).toEqual(["undriven", "running, not driven"]);
  expect(overviewOf(new Map([[left.id, left]])).counts).toMatchObject({ undriven: 1, running: 0 });
  expect(undrivenRow(left, null)).toEqual(row);
});

test("no title and no question can be so long or so hostile that a list has to care", async () => {
  const created = await made({
    title: `\u001B[2J\u0007${"漢".repeat(5000)}`,
    description: "x".repeat(100_000),
  });
  const row = rowOf(created);
  expect(row.title).toMatch(/^漢+$/);
  expect(row.title.length).toBeLessThan(250);
  expect(row.haystack.length).toBeLessThan(1000);
});
