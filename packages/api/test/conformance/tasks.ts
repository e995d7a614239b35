import {
  did,
  differs,
  exchange,
  NO_ROUTE,
  ok,
  otherStatus,
  refused,
  type Step,
} from "./exchange.ts";

const V2 = "/api/loops/v2";
const TIMES = { created_at: "{time}", updated_at: "{time}" };
const task = (id: string, order: number, fields: object) => ({
  task_id: `{${id}}`,
  order,
  prompt_template: "x",
  ...TIMES,
  ...fields,
});
const GEMINI = { tool: "gemini", mode: "write" };
const T1 = { ...GEMINI, description: "d1", prompt_template: "P", on_error: "pause" };
const T2 = { description: "d2", tool: "bash", mode: "analysis", command: "ls -la" };
const T3 = { description: "d3", tool: "codex", mode: "review" };
const T4 = { ...T3, description: "d4", on_error: "explode", command: { a: 1 } };
const T5 = { description: "d5-after-update", tool: "bash", mode: "write" };
const CHANGES = { description: "changed", mode: "nonsense", tool: "rm -rf", on_error: "zzz" };
const CHANGED = { ...T1, ...CHANGES };

const add = (name: string, body: unknown, answer: readonly [number, unknown], rest = {}) =>
  exchange(`task: ${name}`, `POST ${V2}/{B}/tasks`, answer, { body, ...rest });
const list = (name: string, data: unknown[], rest = {}) =>
  exchange(
    `tasks: ${name}`,
    `GET ${V2}/{B}/tasks`,
    ok(data, { total: data.length, loop_id: "{B}", timestamp: "{time}" }),
    rest,
  );

const LEAST = { description: "a", tool: "bash", mode: "write", prompt_template: "x" };
const TOOLS = "tool must be one of enabled tools: bash, gemini, qwen, codex, claude, opencode";

const ADDING: Step[] = [
  list("list of none", []),
  add("add", { ...T1, description: " d1 ", prompt_template: " P " }, ok(task("t1", 0, T1)), {
    as: "t1",
  }),
  add("add for a shell", { ...T2, prompt_template: "x" }, ok(task("t2", 1, T2)), { as: "t2" }),
  add("add without on_error", { ...T3, prompt_template: "x" }, ok(task("t3", 2, T3)), { as: "t3" }),
  add(
    "command is no text",
    { ...T4, prompt_template: "x" },
    ok(task("t4", 3, T4)),
    differs("task-fields", 400),
  ),
  ...Object.keys(LEAST).map((field) =>
    add(`no ${field}`, { ...LEAST, [field]: undefined }, refused(400, `${field} is required`)),
  ),
  add(
    "another tool",
    { ...LEAST, tool: "zzz" },
    refused(400, TOOLS),
    otherStatus("tools", 400, `${TOOLS}, copilot`),
  ),
  add(
    "another mode",
    { ...LEAST, mode: "auto" },
    refused(400, "mode must be one of: analysis, write, review"),
  ),
  exchange("task: no such loop", `POST ${V2}/loop-v2-ghost/tasks`, ok(task("t0", 0, {})), {
    body: LEAST,
    ...differs("task-loop", 404, { error: "Loop not found" }),
  }),
  list("list", [task("t1", 0, T1), task("t2", 1, T2), task("t3", 2, T3), task("t4", 3, T4)], {
    ...differs("task-fields", 200, { total: 3 }),
  }),
  exchange(
    "tasks: no such loop",
    `GET ${V2}/loop-v2-none/tasks`,
    ok([], { total: 0, loop_id: "loop-v2-none", timestamp: "{time}" }),
    differs("task-loop", 404, { error: "Loop not found" }),
  ),
];

const MISSING = refused(404, "Task not found");
const change = (
  name: string,
  id: string,
  body: unknown,
  answer: readonly [number, unknown],
  rest = {},
) => exchange(`task: ${name}`, `PUT ${V2}/tasks/${id}`, answer, { body, ...rest });
const reorder = (name: string, ids: unknown, answer: readonly [number, unknown], rest = {}) =>
  exchange(`reorder: ${name}`, `PUT ${V2}/{B}/tasks/reorder`, answer, {
    body: { ordered_task_ids: ids },
    ...rest,
  });

const CHANGING: Step[] = [
  exchange(
    "task: get",
    `GET ${V2}/tasks/{t1}`,
    ok({ ...task("t1", 0, T1), loop_id: "{B}" }, { timestamp: "{time}" }),
  ),
  exchange("task: get missing", `GET ${V2}/tasks/task-nope`, MISSING),
  change(
    "change",
    "{t1}",
    { loop_id: "{B}", ...CHANGES },
    ok(task("t1", 0, CHANGED)),
    differs("task-fields", 400),
  ),
  { meanwhile: `PUT ${V2}/tasks/{t1}`, body: { loop_id: "{B}", description: "changed" } },
  change(
    "change without loop_id",
    "{t1}",
    { description: "changed" },
    refused(400, "loop_id is required"),
  ),
  change(
    "change with a bad loop_id",
    "{t1}",
    { loop_id: "../x", description: "changed" },
    refused(400, "Invalid loop_id format"),
  ),
  change("change a missing one", "task-nope", { loop_id: "{B}", description: "changed" }, MISSING),
  add("add after a change", { ...T5, prompt_template: "x" }, ok(task("t5", 4, T5)), {
    as: "t5",
    ...differs("task-fields", 200, { data: { order: 3 } }),
  }),
  list("list after a change", [task("t1", 0, CHANGED), task("t2", 1, T2), task("t3", 2, T3)], {
    ...differs("task-loss", 200, { total: 4 }),
  }),
  reorder(
    "some",
    ["{t2}", "{t1}"],
    ok([task("t2", 0, T2), task("t1", 1, CHANGED), task("t3", 2, T3)]),
    {
      ...differs("task-loss", 200, {
        data: ["{t2}", "{t1}", "{t3}", "{t5}"].map((task_id, order) => ({ task_id, order })),
      }),
    },
  ),
  reorder("none", [], refused(400, "ordered_task_ids cannot be empty")),
  reorder("no array", "x", refused(400, "ordered_task_ids must be an array")),
  reorder(
    "unknown",
    ["zzz"],
    refused(500, "Task not found: zzz"),
    otherStatus("reorder", 404, "Task not found: zzz"),
  ),
  reorder(
    "twice",
    ["{t2}", "{t2}", "{t1}"],
    ok([task("t2", 0, T2), task("t2", 1, T2)]),
    differs("reorder", 400),
  ),
  exchange(
    "task: delete without loop_id",
    `DELETE ${V2}/tasks/{t1}`,
    refused(400, "loop_id query parameter is required"),
  ),
  exchange("task: delete missing", `DELETE ${V2}/tasks/nope?loop_id={B}`, MISSING),
  exchange("task: delete", `DELETE ${V2}/tasks/{t1}?loop_id={B}`, did("Task deleted")),
  exchange("task: edit as an older page did", `PUT ${V2}/{B}/tasks/{t2}`, NO_ROUTE, {
    body: { description: "q" },
    ...differs("no-route", 404),
  }),
  exchange(
    "task: delete as an older page did",
    `DELETE ${V2}/{B}/tasks/{t2}`,
    NO_ROUTE,
    differs("no-route", 404),
  ),
];

const imported = (id: string, name: string, order: number, fields: object) =>
  task(id, order, { description: name, prompt_template: `Execute: ${name}`, ...fields });
const importing = (
  name: string,
  issue_id: string | undefined,
  answer: readonly [number, unknown],
  rest = {},
) => exchange(`import: ${name}`, `POST ${V2}/{B}/import`, answer, { body: { issue_id }, ...rest });

const BY_CODEX = { tool: "codex", mode: "write" };
const OF_ISSUE = [
  imported("i1", "T A", 3, { tool: "gemini", mode: "analysis", on_error: "pause" }),
  imported("i2", "T B", 2, { ...BY_CODEX, command: "make", on_error: "fail_fast" }),
  imported("i3", "T C", 3, GEMINI),
];
/** Ours: in their order, and by the loop's own agent. */
const ORDERED = OF_ISSUE.map(({ task_id: _, ...one }, at) => ({
  ...one,
  tool: "codex",
  order: 3 + at,
}));

const IMPORTING: Step[] = [
  importing("no issue_id", undefined, refused(400, "issue_id is required")),
  importing("unknown", "ISS-9", refused(404, "Issue ISS-9 not found")),
  importing(
    "no tasks",
    "ISS-2",
    refused(400, "No tasks found in issue. Bind a solution with tasks first."),
  ),
  importing(
    "tasks",
    "ISS-1",
    ok(OF_ISSUE, { message: "Imported 3 tasks from issue ISS-1" }),
    differs("task-loss", 200, { data: ORDERED, message: "Imported 3 tasks from issue ISS-1" }),
  ),
  importing(
    "traversal",
    "../../../../etc/passwd",
    refused(404, "Issue ../../../../etc/passwd not found"),
  ),
];

const NAMES = ["Write tests", "No tool"];
const generated = (id: string, order: number, tool: string, fields: object) =>
  task(id, order, { description: NAMES[order], mode: "write", tool, ...fields });

const GENERATING: Step[] = [
  exchange(
    "generate",
    `POST ${V2}/{D}/generate`,
    ok(
      [
        generated("g1", 0, "bash", { prompt_template: "P1", on_error: "pause" }),
        generated("g2", 1, "gemini", { prompt_template: "P2", on_error: "continue" }),
      ],
      { message: "Generated and imported 2 tasks" },
    ),
    {
      body: { tool: "gemini" },
      ...differs("generate", 200, {
        data: NAMES.map((description, order) => ({
          description,
          tool: "codex",
          mode: "write",
          order,
        })),
        message: "Generated and imported 2 tasks",
      }),
    },
  ),
  exchange(
    "generate: nothing usable",
    `POST ${V2}/{C}/generate`,
    refused(500, "No valid tasks generated. Check CLI output for details."),
    { body: {}, ...differs("generate", 502) },
  ),
  exchange(
    "generate: unknown loop",
    `POST ${V2}/loop-v2-none/generate`,
    refused(404, "Loop not found"),
    { body: {} },
  ),
];

export const TASKS: readonly Step[] = [...ADDING, ...CHANGING, ...IMPORTING, ...GENERATING];
