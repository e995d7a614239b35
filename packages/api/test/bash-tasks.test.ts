import { tasksOf } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { loopClient } from "../src/client/index.ts";
import { type Bench, bench, type Setup, TOKEN } from "./support.ts";

const V2 = "/api/loops/v2";
const BASH = { description: "d", tool: "bash", mode: "write", prompt_template: "p", command: "ls" };
const PLAIN = { ...BASH, tool: "codex" };
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const FILES = {
  ".workflow/issues/issues.jsonl": line({ id: "ISS-1" }) + line({ id: "ISS-2" }),
  ".workflow/issues/solutions/ISS-1.jsonl": line({ tasks: [PLAIN, BASH] }),
  ".workflow/issues/solutions/ISS-2.jsonl": line({
    tasks: [{ title: "rm -rf build", tool: "bash" }],
  }),
};

async function served(setup: Setup = {}): Promise<Bench> {
  const b = bench({ files: FILES, ...setup });
  await b.service.create({ id: "a", description: "d" });
  return b;
}

/** The requests by which a client could have a command run, each in a loop with the task `t`. */
const REQUESTS: [string, string, string, object][] = [
  ["adds one", "POST", `${V2}/a/tasks`, BASH],
  ["edits one", "PUT", `${V2}/tasks/bash-1`, { loop_id: "a", description: "other" }],
  ["makes a task one", "PUT", `${V2}/tasks/plain`, { loop_id: "a", tool: "bash", command: "ls" }],
  ["imports one", "POST", `${V2}/a/import`, { issue_id: "ISS-1" }],
  [
    "adds one by a command",
    "POST",
    `${V2}/a/commands`,
    { type: "add_task", task: { id: "x", description: "ls", tool: "bash" } },
  ],
];

async function withTasks(b: Bench): Promise<Bench> {
  for (const [id, tool] of [
    ["bash-1", "bash"],
    ["plain", "codex"],
  ] as const) {
    const task = { id, description: "d", tool, mode: "write", command: "ls" } as const;
    await b.service.send("a", {
      type: "add_task",
      task: { ...task, status: "pending", files_changed: [], created_at: null, completed_at: null },
    });
  }
  return b;
}

describe("a client that", () => {
  test.each(REQUESTS)("%s is refused, and nothing changes", async (_, method, path, body) => {
    const b = await withTasks(await served());
    const before = await b.service.get("a");
    const { status, json } = await b.ask(method, path, { body });
    expect([status, json.code]).toEqual([403, "bash_not_allowed"]);
    expect(json.error).toContain("ccw-loop serve --allow-bash-tasks");
    expect(await b.service.get("a")).toEqual(before);
  });

  test.each(REQUESTS)("%s may where the operator allows it", async (_, method, path, body) => {
    const b = await withTasks(await served({ options: { allowBashTasks: true } }));
    expect((await b.ask(method, path, { body })).status).toBe(200);
  });

  test("works with other tasks may", async () => {
    const b = await served();
    expect((await b.ask("POST", `${V2}/a/tasks`, { body: PLAIN })).status).toBe(200);
    expect((await b.ask("POST", `${V2}/a/import`, { body: { issue_id: "ISS-2" } })).status).toBe(
      200,
    );
    // An issue's prose is never run.
    expect(tasksOf(await b.service.get("a")).map(({ tool }) => tool)).toEqual(["codex", "codex"]);
  });
});

test("our own client throws the same error", async () => {
  const b = await served();
  const client = loopClient({
    url: "http://localhost",
    token: TOKEN,
    fetch: (request) => b.app.fetch(request),
  });
  const task = {
    id: "x",
    description: "ls",
    tool: "bash",
    mode: "write",
    status: "pending",
  } as const;
  const sent = client.send("a", {
    type: "add_task",
    task: { ...task, files_changed: [], created_at: null, completed_at: null },
  });
  await expect(sent).rejects.toMatchObject({ name: "LoopError", code: "bash_not_allowed" });
});
