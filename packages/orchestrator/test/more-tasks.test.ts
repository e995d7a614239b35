import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NewTask } from "@ccw-loop/core";
import { memoryStore, scriptedAgent } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { type Bench, bench, journal, plan, verifierThat } from "./support.ts";

const lines = (...values: unknown[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

function withIssues(files: Record<string, string>): Bench {
  const b = bench([plan("unused")], verifierThat("pass"));
  const folder = join(b.dir, ".workflow", "issues");
  mkdirSync(join(folder, "solutions"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return b;
}

const ISSUES = lines(
  { id: "ISS-1", title: "Cart", bound_solution_id: "SOL-2" },
  { id: "ISS-2", title: "Empty" },
);

test("an issue's tasks come from its bound solution, in a loop's words, in one commit", async () => {
  const b = withIssues({
    "issues.jsonl": ISSUES,
    "solutions/ISS-1.jsonl": lines(
      { id: "SOL-1", is_bound: true, tasks: [{ title: "not this one" }] },
      {
        id: "SOL-2",
        tasks: [
          { title: " Read it ", tool: "ai", mode: "read", on_error: "stop" },
          { description: "Change it", tool: "codex", mode: "modify", command: "make" },
          { prompt: "Look again", mode: "review", on_error: "abort", tool: 7 },
          { title: "Last", tool: "hammer", mode: "quick", on_error: "explode" },
        ],
      },
    ),
  });
  const id = await b.start();
  const tasks = await b.service.importTasks(id, "ISS-1");
  expect(tasks).toMatchObject([
    {
      description: "Read it",
      tool: "codex",
      mode: "analysis",
      prompt_template: "Execute: Read it",
      on_error: "pause",
    },
    { description: "Change it", tool: "codex", mode: "write", command: "make" },
    { description: "Task 3", mode: "review", prompt_template: "Look again", on_error: "fail_fast" },
    { description: "Last", tool: "codex", mode: "write" },
  ]);
  expect(tasks.map((task) => NewTask.safeParse(task).success)).toEqual([true, true, true, true]);
  expect(tasks[3]).not.toHaveProperty("on_error");
  expect(await b.service.tasks(id)).toEqual(tasks);
  const added = (await journal(b.store, id)).filter(({ event }) => event.type === "task.added");
  expect(added.map(({ revision }) => revision)).toEqual([2, 2, 2, 2]);
});

test("an issue's command is nobody's whom we know, until an operator names it", async () => {
  const b = withIssues({
    "issues.jsonl": ISSUES,
    "solutions/ISS-1.jsonl": lines({
      tasks: [
        { title: "Generate", tool: "bash", command: "npm run gen" },
        { title: "rm -rf ~", tool: "bash" },
      ],
    }),
  });
  const id = await b.start();
  const [task, prose] = await b.service.importTasks(id, "ISS-1");
  expect(task).toMatchObject({ tool: "bash", command: "npm run gen", proposed: true });
  expect(prose).toMatchObject({ tool: "codex", description: "rm -rf ~" });
  expect(prose).not.toHaveProperty("command");
  const changes = { command: "npm run gen" };
  await b.service.send(id, { type: "edit_task", task_id: task?.id ?? "", changes });
  expect((await b.service.tasks(id))[0]).not.toHaveProperty("proposed");
});

test("an issue whose file lies elsewhere, and one with more tasks than anybody reads, are refused", async () => {
  const many = Array.from({ length: 1001 }, (_, n) => ({ title: `${n}` }));
  const b = withIssues({
    "issues.jsonl": ISSUES,
    "solutions/ISS-1.jsonl": lines({ tasks: many }),
  });
  const id = await b.start();
  const message = expect.stringContaining("has 1001 tasks, and at most 1000 are imported");
  const refused = { code: "invalid_input", message };
  await expect(b.service.importTasks(id, "ISS-1")).rejects.toMatchObject(refused);
  const elsewhere = withIssues({ "issues.jsonl": ISSUES });
  const solutions = join(b.dir, ".workflow/issues/solutions");
  rmSync(join(elsewhere.dir, ".workflow/issues/solutions"), { recursive: true });
  symlinkSync(solutions, join(elsewhere.dir, ".workflow/issues/solutions"));
  await expect(
    elsewhere.service.importTasks(await elsewhere.start(), "ISS-1"),
  ).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("a link leads out of the project"),
  });
});

test("without a bound solution the marked one counts, then the first; history is looked at last", async () => {
  const b = withIssues({
    "issues.jsonl": "no json\n\n[]\n",
    "issue-history.jsonl": lines({ id: "A" }, { id: "B", bound_solution_id: "gone" }),
    "solutions/A.jsonl": lines({ tasks: [{ title: "first" }] }, { tasks: [{ title: "second" }] }),
    "solutions/B.jsonl": lines({ tasks: [] }, { is_bound: true, tasks: [{ title: "marked" }] }),
  });
  const id = await b.start();
  const described = async (issue: string) =>
    (await b.service.importTasks(id, issue)).map(({ description }) => description);
  expect(await described("A")).toEqual(["first"]);
  expect(await described("B")).toEqual(["marked"]);
});

test.each([
  ["ISS-9", "issue_not_found", "Issue ISS-9 not found"],
  ["../../etc/passwd", "issue_not_found", "Issue ../../etc/passwd not found"],
  ["ISS-2", "invalid_input", "No tasks found in issue. Bind a solution with tasks first."],
])("importing %s is refused with %s", async (issue, code, message) => {
  const b = withIssues({ "issues.jsonl": ISSUES });
  const id = await b.start();
  await expect(b.service.importTasks(id, issue)).rejects.toMatchObject({ code, message });
  await expect(b.service.importTasks("nope", issue)).rejects.toMatchObject({
    code: "loop_not_found",
  });
  expect(await b.service.tasks(id)).toEqual([]);
});

test("the same request imports once", async () => {
  const b = withIssues({
    "issues.jsonl": ISSUES,
    "solutions/ISS-1.jsonl": lines({ tasks: [{ title: "one" }] }),
  });
  const id = await b.start();
  const first = await b.service.importTasks(id, "ISS-1", { opId: "req-1" });
  expect(await b.service.importTasks(id, "ISS-1", { opId: "req-1" })).toEqual(first);
  expect(await b.service.tasks(id)).toHaveLength(1);
});

test("the agent is asked for what is missing; what it names is added, so many at most, once per request", async () => {
  const asked = { ...plan("Write the docs", "Add an example", "Translate"), repeat: true };
  const expected = ["(pending) Fix the sum", "2 at most", "Fix the cart"];
  const b = bench([{ ...asked, expect: expected }], verifierThat("pass"));
  const id = await b.start();
  const task = NewTask.parse({ id: "t-1", description: "Fix the sum" });
  await b.service.send(id, { type: "add_task", task });
  const made = await b.service.generateTasks(id, { count: 2, opId: "req-1" });
  expect(made.map(({ description }) => description)).toEqual(["Write the docs", "Add an example"]);
  expect(made.map((one) => NewTask.safeParse(one).success)).toEqual([true, true]);
  expect(await b.service.generateTasks(id, { count: 2, opId: "req-1" })).toEqual(made);
  expect(await b.service.tasks(id)).toHaveLength(3);
  expect((await b.service.get(id)).agent?.session_id ?? null).toBeNull();
});

test("a command that the agent names is kept as text, for the agent", async () => {
  const tasks = [{ description: "Generate", tool: "bash", command: "npm run gen" }];
  const b = bench([{ ...plan(), answer: { state_updates: { tasks } } }], verifierThat("pass"));
  expect(await b.service.generateTasks(await b.start())).toMatchObject([
    { description: "Generate\n\nCommand: npm run gen", tool: "codex" },
  ]);
});

test("the agent that is asked works for the loop's newest lease, so whoever claims it later ends it", async () => {
  const agent = scriptedAgent({ script: { turns: [{ ...plan("one"), repeat: true }] } });
  const scopes: unknown[] = [];
  const store = memoryStore();
  const b = bench([plan("unused")], verifierThat("pass"), {
    store,
    agent: async () => ({
      ...agent,
      open: (options) => {
        scopes.push(options.scope);
        return agent.open(options);
      },
    }),
  });
  const id = await b.start();
  await b.service.generateTasks(id);
  expect(await store.ownerOf(id)).toBeNull();
  const driver = await store.claim(id, "another", 60_000);
  await b.service.generateTasks(id);
  expect(scopes).toEqual([
    { loop: id, epoch: driver.epoch - 1 },
    { loop: id, epoch: driver.epoch },
  ]);
});

test("an answer without tasks adds nothing", async () => {
  const answer = { status: "failed" as const, message: "nothing is missing" };
  const b = bench([{ action: "INIT", answer }], verifierThat("pass"));
  const id = await b.start();
  await expect(b.service.generateTasks(id)).rejects.toMatchObject({
    code: "agent_bad_result",
    message: "No valid tasks generated: nothing is missing",
  });
  await expect(b.service.generateTasks(id, { count: 0 })).rejects.toMatchObject({
    code: "invalid_input",
  });
  expect(await b.service.tasks(id)).toEqual([]);
});

test("asking ends when the caller no longer wants it", async () => {
  const b = bench([{ action: "INIT", steps: [{ hang: true }] }], verifierThat("pass"));
  const id = await b.start();
  const stop = new AbortController();
  const asking = b.service.generateTasks(id, { signal: stop.signal });
  setImmediate(() => stop.abort(new Error("enough")));
  await expect(asking).rejects.toThrow("enough");
  expect(await b.service.tasks(id)).toEqual([]);
});
