import { describe, expect, test } from "vitest";
import { DevelopUpdates, InitUpdates } from "../src/index.ts";

describe("InitUpdates", () => {
  test.each<[string, unknown, unknown[]]>([
    ["tasks", { tasks: [{ description: " a " }] }, [{ description: "a" }]],
    ["tasks in words", { tasks: ["a", "b"] }, [{ description: "a" }, { description: "b" }]],
    [
      "titles",
      { tasks: [{ title: "a" }, { task: "b" }] },
      [{ description: "a" }, { description: "b" }],
    ],
    ["in develop", { develop: { tasks: ["a"] } }, [{ description: "a" }]],
    ["in skill_state", { skill_state: { develop: { tasks: ["a"] } } }, [{ description: "a" }]],
    [
      "with a tool",
      { tasks: [{ description: "a", tool: "qwen", mode: null }] },
      [{ description: "a", tool: "qwen" }],
    ],
    [
      "with a tool and a mode that there are none of",
      { tasks: [{ description: "a", tool: "scripted", mode: 7 }] },
      [{ description: "a" }],
    ],
  ])("%s", (_, updates, tasks) => {
    expect(InitUpdates.parse(updates)).toEqual({ tasks });
  });

  test("an agent cannot declare a task done or choose its id", () => {
    const task = { description: "a", id: "x", status: "completed", attempts: 0, debugged: true };
    expect(Object.keys(InitUpdates.parse({ tasks: [task] }).tasks[0] ?? {})).not.toContain(
      "status",
    );
    expect(InitUpdates.parse({ tasks: [task] }).tasks).toEqual([{ description: "a" }]);
  });

  test.each([[{}], [{ tasks: [] }], [{ tasks: [{ description: " " }] }], [{ tasks: [7] }], [null]])(
    "%j is refused",
    (updates) => {
      expect(InitUpdates.safeParse(updates).success).toBe(false);
    },
  );
});

test.each<[unknown, string]>([
  [{ summary: " done " }, "done"],
  [{ develop: { summary: "done" } }, "done"],
  [{ summary: null }, ""],
  [{}, ""],
])("DevelopUpdates of %j", (updates, summary) => {
  expect(DevelopUpdates.parse(updates)).toEqual({ summary });
});
