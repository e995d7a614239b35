import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLoopError, LoopState, readLoopState } from "../src/index.ts";

const AT = "2026-01-22T02:00:00.000Z";
const folder = new URL("./fixtures/", import.meta.url);

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, folder), "utf8"));
}

/**
 * The seeds print schemas as examples. What stands for a value is replaced, and nothing else: a choice
 * ("created | running | …") by its first alternative, "ISO8601" with or without a remark by a timestamp,
 * "string (optional)" by its first word. "..." is a text like any other and stays.
 */
function concrete(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, item: unknown) => {
    if (typeof item !== "string") return item;
    if (item.startsWith("ISO8601")) return AT;
    return item.replace(/ \| .*$/, "").replace(/ \(optional\)$/, "");
  });
}

function merged(base: unknown, changes: unknown): unknown {
  const plain = (v: unknown): v is Record<string, unknown> =>
    typeof v === "object" && v !== null && !Array.isArray(v);
  if (!plain(base) || !plain(changes)) return changes;
  const result = { ...base };
  for (const [key, value] of Object.entries(changes)) result[key] = merged(base[key], value);
  return result;
}

describe("the examples of the seeds", () => {
  const names = readdirSync(folder).filter((name) => /^seed-\d+-.*\.json$/.test(name));

  test("are all here", () => {
    expect(names).toHaveLength(5);
  });

  test.each(names)("%s is read", (name) => {
    const raw = concrete(fixture(name));
    const state = readLoopState(raw);
    expect(state.loop_id).toMatch(/^loop-v2-20260122/);
    expect(state.created_at).toBe(AT);
    if (name.includes("initialized")) {
      expect(state.skill_state?.develop.tasks[0]).toMatchObject({
        id: "task-001",
        status: "pending",
        tool: "codex",
        files_changed: [],
      });
    }
    if (name.includes("001")) {
      expect(state).toMatchObject({
        status: "created",
        skill_state: {
          current_action: "init",
          last_action: "string",
          mode: "interactive",
          debug: { hypotheses: [{ logging_point: "file:func:line" }] },
          validate: { test_results: [{ status: "passed" }] },
          errors: [{ action: "...", timestamp: AT }],
          summary: { duration: 0, validate: {} },
        },
      });
    }
  });

  // The seeds' transitions are JavaScript fragments; the fixture holds their values as JSON.
  const transitions = concrete(fixture("seed-transitions.json")) as {
    seed: string;
    name: string;
    changes: Record<string, unknown>;
    last_action: string | null;
  }[];

  test.each(transitions)("transition of seed $seed: $name", ({ changes, last_action }) => {
    const state = readLoopState(merged(fixture("seed-000-initialized.json"), changes));
    expect(state.skill_state?.last_action ?? null).toBe(last_action);
    if (typeof changes.status === "string") expect(state.status).toBe(changes.status);
  });

  test("the pause that an old skill noted in current_action is only in the status", () => {
    const pause = transitions.find((t) => t.name.startsWith("pause"));
    const state = readLoopState(merged(fixture("seed-003-initialized.json"), pause?.changes));
    expect(state.skill_state?.current_action).toBeNull();
    expect(state.status).toBe("paused");
  });
});

test("the oldest layout comes out whole, in today's names", () => {
  const state = readLoopState(fixture("old-claude-state.json"));
  expect(state).toMatchObject({
    loop_id: "LOOP-user-auth-2026-01-22",
    title: "Implement user authentication",
    description: "Implement user authentication",
    status: "created",
    current_iteration: 2,
    context: { estimated_complexity: "medium" },
    skill_state: {
      mode: "interactive",
      current_action: "validate",
      last_action: "DEVELOP",
      completed_actions: ["INIT", "DEVELOP"],
      develop: { total: 2, completed: 1, current_task: "task-002", tasks: [{ priority: 1 }, {}] },
      debug: { active_bug: "Token expires at once", hypotheses: [{ evidence: [{ hid: "H1" }] }] },
      validate: {
        coverage: null,
        test_results: [{ test_name: "login" }, { test_name: "logout", error_message: "boom" }],
        runs: [
          { iteration: 1, passed: false, total: 2, passed_count: 1, failed_tests: ["logout"] },
        ],
      },
    },
  });
  const old = ["session_id", "task_description", "initialized", "iteration_count", "develop"];
  for (const key of old) expect(state).not.toHaveProperty(key);
  expect(state.skill_state?.develop).not.toHaveProperty("completed_count");
  expect(state).not.toHaveProperty("completed_at");
});

test.each([
  ["develop", "DEVELOP"],
  ["action-develop-with-file", "DEVELOP"],
  ["action-debug-with-file", "DEBUG"],
  ["action-validate-with-file", "VALIDATE"],
  ["action-complete", "COMPLETE"],
  ["action-init", "INIT"],
  ["action-menu", "MENU"],
  ["VALIDATE", "VALIDATE"],
  ["something else", "something else"],
])("the action %s is read as %s", (spelled, action) => {
  const skill = {
    last_action: spelled,
    completed_actions: [spelled, spelled],
    errors: [{ action: spelled, message: "m", timestamp: AT }],
  };
  const state = readLoopState(base({ skill_state: skill }));
  expect(state.skill_state?.last_action).toBe(action);
  expect(state.skill_state?.completed_actions).toEqual([action, action]);
  expect(state.skill_state?.errors[0]?.action).toBe(action);
});

test("an old name never replaces today's, and stays as an unknown field", () => {
  const state = readLoopState(
    base({ session_id: "other", skill_state: { debug: { current_bug: "a", active_bug: "b" } } }),
  );
  expect(state.loop_id).toBe("a");
  expect(state).toHaveProperty("session_id", "other");
  expect(state.skill_state?.debug).toMatchObject({ current_bug: "a", active_bug: "b" });
});

test("a loop that was never initialized in the oldest layout has no plan", () => {
  const { loop_id: _, ...rest } = base({ session_id: "s", initialized: false });
  expect(readLoopState(rest).skill_state).toBeUndefined();
});

test.each<[string, unknown, string, string]>([
  ["a list", [], "", "a list"],
  ["null", null, "", "null"],
  ["a text", "{}", "", '"{}"'],
  ["a wrong status", base({ status: "paussed" }), "status", '"paussed"'],
  ["no status", base({ status: undefined }), "status", "missing"],
  ["a title that is a number", base({ title: 7, description: "d" }), "title", "7"],
  ["a date that is none", base({ created_at: "yesterday" }), "created_at", '"yesterday"'],
  [
    "a task without an id",
    base({ skill_state: { develop: { tasks: [{ description: "x" }] } } }),
    "skill_state.develop.tasks[0].id",
    "missing",
  ],
  ["a mode of no kind", base({ skill_state: { mode: ["auto"] } }), "skill_state.mode", "a list"],
])("%s is refused by name", (_, raw, field, found) => {
  let caught: unknown;
  try {
    readLoopState(raw);
  } catch (error) {
    caught = error;
  }
  if (!isLoopError(caught, "store_corrupt")) throw new Error(`not refused: ${String(caught)}`);
  expect(caught.message).toContain(field);
  expect(caught.message).toContain(found);
  // The command line adds the command that recovers this loop.
  expect(caught.message).not.toContain("ccw-loop ");
  if (field !== "") expect(caught.details.field).toBe(field);
});

describe("properties", () => {
  const spelling = fc.constantFrom(
    "develop",
    "action-debug-with-file",
    "VALIDATE",
    "odd",
    "paused",
  );
  const older = fc.record(
    {
      last_action: fc.option(spelling),
      completed_actions: fc.array(spelling),
      develop: fc.record(
        {
          completed_count: fc.nat(9),
          completed: fc.nat(9),
          total_count: fc.nat(9),
          mine: fc.json(),
        },
        { requiredKeys: [] },
      ),
      debug: fc.record({ current_bug: fc.string(), mine: fc.json() }, { requiredKeys: [] }),
      extra: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const states = fc.record({ skill: older, nested: fc.boolean(), extra: fc.jsonValue() });

  test("reading what was read changes nothing, and unknown fields survive", () => {
    fc.assert(
      fc.property(states, ({ skill, nested, extra }) => {
        const parts = nested ? { skill_state: skill } : { ...skill, initialized: true };
        const raw = JSON.parse(JSON.stringify(base({ ...parts, unknown_field: extra })));
        const once = readLoopState(raw);
        expect(readLoopState(JSON.parse(JSON.stringify(once)))).toEqual(once);
        expect(once).toMatchObject({ unknown_field: JSON.parse(JSON.stringify(extra)) });
        if (skill.develop?.mine !== undefined) {
          expect(once.skill_state?.develop).toHaveProperty("mine", skill.develop.mine);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("a state that fits the schema is read as the schema reads it", () => {
    const state = LoopState.parse(fixture("seed-000-initialized.json"));
    expect(readLoopState(state)).toEqual(state);
  });
});

function base(more: Record<string, unknown> = {}): Record<string, unknown> {
  const raw = { loop_id: "a", title: "t", status: "running", created_at: AT, updated_at: AT };
  return { ...raw, ...more };
}
