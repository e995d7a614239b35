import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { documentIn } from "./support/documents.ts";
import { type Project, plan, project, write } from "./support/project.ts";
import { cli } from "./support/run-cli.ts";

const AT = "2026-01-22T10:00:00+08:00";
const times = { created_at: AT, updated_at: AT };

/** One loop in each layout that there was, and one that cannot be read. */
const FILES = {
  ".workflow/.loop/loop-v2-20260122T100000-aaaa1111.json": {
    loop_id: "loop-v2-20260122T100000-aaaa1111",
    title: "Find the answer",
    description: "The answer has to be 42.",
    max_iterations: 10,
    status: "paused",
    current_iteration: 0,
    ...times,
  },
  ".workflow/.loop/loop-v2-20260122T100000-aaaa1111/tasks.jsonl": {
    task_id: "task-9",
    description: "Write 42",
    tool: "codex",
    mode: "write",
    prompt_template: "Execute: Write 42",
    order: 0,
    ...times,
  },
  ".loop/cart.json": { loop_id: "cart", title: "Fix the cart", status: "created", ...times },
  ".workflow/.loop/LOOP-auth-2026-01-22/state.json": {
    session_id: "LOOP-auth-2026-01-22",
    task_description: "Log in",
    status: "running",
    ...times,
  },
  ".workflow/.loop/torn.json": '{ "loop_id": "torn", "title": "To',
};

/** Every file below the older places. */
const snapshot = (dir: string) =>
  [".loop", ".workflow"].flatMap((name) =>
    existsSync(join(dir, name))
      ? readdirSync(join(dir, name), { recursive: true, encoding: "utf8" }).sort()
      : [],
  );

function leave(here: Project): void {
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(here.dir, name)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(here.dir, name), `${text}\n`);
  }
}

test("loops of an older tool are told, taken over once, and driven to their end", async () => {
  await using here = await project(plan, write("42"));
  leave(here);
  const before = snapshot(here.dir);
  const ids = ["loop-v2-20260122T100000-aaaa1111", "cart", "LOOP-auth-2026-01-22"].sort();

  const looked = await here.cli("migrate", "--dry-run", "--json");
  expect(looked.code, looked.err).toBe(1);
  const told = documentIn("migrate", looked.out);
  expect(told.loops.map(({ loop_id }) => loop_id).sort()).toEqual(ids);
  expect(told.loops).toContainEqual({
    loop_id: "loop-v2-20260122T100000-aaaa1111",
    title: "Find the answer",
    status: "paused",
    tasks: 1,
  });
  expect(told.failed).toEqual([{ id: "torn", reason: expect.stringContaining("torn.json") }]);
  expect(snapshot(here.dir)).toEqual(before);

  const taken = await here.cli("migrate");
  expect(taken.code).toBe(1);
  expect(taken.out).toMatch(/^3 loops of an older tool in /);
  expect(taken.out).toContain("  Loop torn is damaged: ");
  expect(existsSync(join(here.dir, ".loop/cart.json.migrated"))).toBe(true);
  expect(documentIn("migrate", (await here.cli("migrate", "--json")).out).loops).toEqual([]);

  const ran = await here.cli("run", "--auto", "--loop-id", "cart", ...here.flags);
  expect(ran.code, ran.err).toBe(0);
  expect(readFileSync(join(here.dir, "answer"), "utf8")).toBe("42");
});

test("loops that are no files are not looked for in files: exit 2", async () => {
  await using here = await project(plan);
  const said = await cli(here.dir, ["migrate"], {
    CCW_LOOP_STORE: "postgres://nobody@localhost:1/x",
  });
  expect(said.code).toBe(2);
  expect(said.err).toContain("Take them over where no other store is named");
});
