import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { documentIn } from "./support/documents.ts";
import { plan, project, write } from "./support/project.ts";

test("tasks come from an issue and from the agent, and a refusal says where to look", async () => {
  const more = {
    action: "INIT",
    when: "missing from a loop's list",
    answer: { state_updates: { tasks: [{ description: "write it down" }] } },
  };
  await using here = await project(more, plan, write("42"));
  await here.cli("run", "--auto", ...here.flags, "--loop-id", "a", "--create", "Answer it");
  const issues = join(here.dir, ".workflow", "issues");
  await mkdir(join(issues, "solutions"), { recursive: true });
  await writeFile(join(issues, "issues.jsonl"), '{"id":"ISS-1"}\n');
  const solution = { tasks: [{ title: "check it twice", mode: "review" }] };
  await writeFile(join(issues, "solutions", "ISS-1.jsonl"), `${JSON.stringify(solution)}\n`);

  const imported = await here.cli("tasks", "import", "a", "ISS-1");
  expect([imported.code, imported.out]).toEqual([
    0,
    expect.stringMatching(/^Added 1 task to loop a:\n.+check it twice\n$/),
  ]);
  const generated = await here.cli("tasks", "generate", "a", "--count", "3", "--json");
  expect(documentIn("tasks generate", generated.out)).toMatchObject({
    loop_id: "a",
    tasks: [{ description: "write it down", tool: "codex", mode: "write" }],
  });
  expect((await here.cli("tasks", "list", "a")).out.split("\n")).toHaveLength(4);

  const missing = await here.cli("tasks", "import", "a", "ISS-2");
  expect(missing.code).toBe(7);
  expect(missing.err).toContain("Issue ISS-2 not found");
  expect(missing.err).toContain(".workflow/issues/issues.jsonl");
  expect((await here.cli("tasks", "generate", "a", "--count", "0")).code).toBe(2);
});

test("a task takes every field that the dashboard gives one, when it is added and later", async () => {
  await using here = await project(plan);
  await here.cli("start", ...here.flags, "--loop-id", "a", "x");
  const fields = ["--tool", "bash", "--mode", "review", "--prompt-template", "Look twice"];
  const more = ["--command", "make check", "--on-error", "pause", "--task-id", "t", "--json"];
  const added = await here.cli("tasks", "add", "a", "check it", ...fields, ...more);
  expect(documentIn("tasks add", added.out).tasks).toMatchObject([
    {
      id: "t",
      tool: "bash",
      mode: "review",
      prompt_template: "Look twice",
      command: "make check",
      on_error: "pause",
    },
  ]);
  const changes = ["--command", "make test", "--on-error", "fail_fast", "--json"];
  const edited = await here.cli("tasks", "edit", "a", "t", ...changes);
  expect(documentIn("tasks edit", edited.out).tasks).toMatchObject([
    { tool: "bash", command: "make test", on_error: "fail_fast" },
  ]);
});
