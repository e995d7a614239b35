import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DevelopTask, LoopState, parseTaskLines, renderTaskLines, TaskLine } from "../src/index.ts";
import { nasty } from "./arbitrary-skill.ts";
import { loop, task } from "./given.ts";

const line = (more: Record<string, unknown>) =>
  JSON.stringify({
    task_id: "task-1769047200000-0a1b2c3d",
    description: "Add login",
    tool: "gemini",
    mode: "write",
    prompt_template: "Do it",
    order: 0,
    created_at: "2026-01-22T10:00:00+08:00",
    updated_at: "2026-01-22T10:00:00+08:00",
    ...more,
  });

test("a line is the control plane's spelling of a task", () => {
  const text = renderTaskLines(loop({ tasks: [task("a"), task("b", { prompt_template: "p" })] }));
  expect(text.endsWith("\n")).toBe(true);
  const lines = text
    .trimEnd()
    .split("\n")
    .map((l) => TaskLine.parse(JSON.parse(l)));
  expect(lines).toMatchObject([
    { task_id: "a", description: "do a", order: 0, prompt_template: "", updated_at: null },
    { task_id: "b", order: 1, prompt_template: "p" },
  ]);
  expect(lines[0]).not.toHaveProperty("id");
  expect(renderTaskLines(loop())).toBe("");
});

test("tasks come back as they were, in their order, whatever they say", () => {
  const tasks = fc.uniqueArray(
    fc
      .record(
        {
          id: fc.oneof(nasty, fc.string()).filter((id) => id !== ""),
          description: nasty,
          tool: nasty,
          status: fc.constantFrom("pending", "in_progress", "completed", "failed"),
          files_changed: fc.array(nasty, { maxLength: 2 }),
          prompt_template: nasty.filter((text) => text !== ""),
          attempts: fc.nat(3),
          _depends_on: fc.array(nasty, { maxLength: 2 }),
        },
        { requiredKeys: ["id", "description"] },
      )
      .map((raw) => DevelopTask.parse(JSON.parse(JSON.stringify(raw)))),
    { selector: (t) => t.id, maxLength: 5 },
  );
  fc.assert(
    fc.property(tasks, (list) => {
      const text = renderTaskLines(LoopState.parse({ ...loop(), tasks: list }));
      expect(text.split("\n")).toHaveLength(list.length + 1);
      expect(parseTaskLines(text)).toEqual({ tasks: list, rejected: [] });
    }),
    { numRuns: 200 },
  );
});

describe("lines of other tools", () => {
  test("as the dashboard wrote them", () => {
    const { tasks, rejected } = parseTaskLines(`${line({ on_error: "continue" })}\n`);
    expect(rejected).toEqual([]);
    expect(tasks).toEqual([
      {
        id: "task-1769047200000-0a1b2c3d",
        description: "Add login",
        tool: "gemini",
        mode: "write",
        prompt_template: "Do it",
        on_error: "continue",
        status: "pending",
        files_changed: [],
        created_at: "2026-01-22T02:00:00.000Z",
        updated_at: "2026-01-22T02:00:00.000Z",
        completed_at: null,
      },
    ]);
  });

  test("in the order they name, which need not be the file's", () => {
    const text = [
      line({ task_id: "b", order: 1 }),
      line({ task_id: "a", order: 0 }),
      line({ task_id: "c", order: 1 }),
    ];
    expect(parseTaskLines(text.join("\r\n")).tasks.map((t) => t.id)).toEqual(["a", "b", "c"]);
  });

  test("joined on one line by a missing line feed", () => {
    const text = `${line({ task_id: "a" })}${line({ task_id: "b" })}\n\n`;
    expect(parseTaskLines(text)).toMatchObject({ tasks: [{ id: "a" }, { id: "b" }], rejected: [] });
  });

  test.each<[string, string, RegExp]>([
    ["no JSON", "hello", /Line 2 has text that is no task: hello/],
    ["a list", "[1]", /Line 2 has text that is no task/],
    ["no id", '{"description":"x"}', /Line 2 has a wrong id/],
    ["no description", '{"task_id":"x"}', /Line 2 has a wrong description/],
    ["an unknown status", line({ status: "odd", task_id: "x" }), /Line 2 has a wrong status/],
    ["an id twice", line({ task_id: "a" }), /Line 2 has a repeated id/],
    ["a line cut off", line({ task_id: "x" }).slice(0, 40), /Line 2 has text that is no task/],
    ["control characters", "\u001b[2J", /\\u\{1b\}/],
  ])("%s is rejected by name, and the others are kept", (_, bad, reason) => {
    const { tasks, rejected } = parseTaskLines(
      `${line({ task_id: "a" })}\n${bad}\n${line({ task_id: "z" })}`,
    );
    expect(tasks.map((t) => t.id)).toEqual(["a", "z"]);
    expect(rejected).toEqual([expect.stringMatching(reason)]);
  });

  test("a cut line does not take the one that was appended to it with it", () => {
    const text = `${line({ task_id: "x" }).slice(0, 30)}${line({ task_id: "b" })}\n`;
    const { tasks, rejected } = parseTaskLines(text);
    expect(tasks.map((t) => t.id)).toEqual(["b"]);
    expect(rejected).toHaveLength(1);
  });

  test.each([
    ["done", "completed"],
    ["todo", "pending"],
    ["blocked", "pending"],
    ["in_progress", "in_progress"],
  ])("the status %s is %s", (status, read) => {
    expect(parseTaskLines(line({ status })).tasks[0]?.status).toBe(read);
  });
});
