import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { tasksOf } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { BY, codeOf, eventsOf, loopFile, newLoop, readJson, started } from "./loops.ts";
import { CREATED, ID, SESSION, taskLine, WORKED_ON } from "./older-files.ts";
import { makeProject } from "./project.ts";

function project(files: Record<string, unknown>): string {
  const root = makeProject();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(
      join(root, name),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  }
  return root;
}

async function firstContact(root: string, id: string) {
  const store = fsStore({ root });
  const stored = await store.read(id);
  const events = await eventsOf(store, id);
  await store.close();
  return { ...stored, events };
}

describe("a loop that another tool made in our place", () => {
  test("becomes revision 1", async () => {
    const root = project({ [`.workflow/.loop/${ID}.json`]: CREATED });
    const { state, revision, events } = await firstContact(root, ID);
    expect(revision).toBe(1);
    expect(state).toMatchObject({
      ...CREATED,
      created_at: "2026-01-22T02:00:00.000Z",
      updated_at: "2026-01-22T02:00:00.000Z",
    });
    expect(events).toMatchObject([
      {
        actor: "external",
        event: { type: "loop.created", adopted_from: `.workflow/.loop/${ID}.json`, notes: [] },
      },
    ]);
    expect(readJson(loopFile(root, `${ID}.json`))).toEqual(state);
  });

  test("keeps what it does not know, and is read in today's spelling", async () => {
    const root = project({ [`.workflow/.loop/${ID}.json`]: WORKED_ON });
    const { state } = await firstContact(root, ID);
    expect(state).toMatchObject({
      prep_source: { tool: "manual" },
      skill_state: {
        current_action: null,
        last_action: "DEVELOP",
        completed_actions: ["INIT", "DEVELOP"],
        develop: { tasks: [{ status: "completed" }, { status: "pending", priority: 1 }] },
      },
    });
  });

  test("is called what its file is called", async () => {
    const root = project({
      ".workflow/.loop/renamed.json": { ...CREATED, loop_id: "../../pwned" },
    });
    const { state, events } = await firstContact(root, "renamed");
    expect(state.loop_id).toBe("renamed");
    expect(events[0]?.event).toMatchObject({ notes: [expect.stringContaining("../../pwned")] });
    expect(readdirSync(root)).toEqual([".workflow"]);
  });

  test("brings its tasks from wherever they lay, each once", async () => {
    const root = project({
      [`.workflow/.loop/${ID}.json`]: CREATED,
      [`.workflow/.loop/${ID}.tasks.jsonl`]: `${JSON.stringify(taskLine("task-1"))}\n`,
      // Its dashboard wrote two tasks on one line when a task was added after a change.
      [`.workflow/.loop/${ID}/tasks.jsonl`]: `${JSON.stringify(taskLine("task-1"))}\n${JSON.stringify(taskLine("task-2"))}${JSON.stringify(taskLine("task-3"))}`,
      [`.workflow/.loop/${ID}/.task/TASK-4.json`]: {
        id: "task-4",
        title: "Fourth",
        description: "from a file",
        _effort: "small",
      },
      [`.workflow/.loop/${ID}/.task/broken.json`]: "{",
    });
    const { state } = await firstContact(root, ID);
    expect(tasksOf(state)).toMatchObject([
      { id: "task-1", on_error: "pause", tool: "gemini" },
      { id: "task-2" },
      { id: "task-3" },
      { id: "task-4", description: "Fourth: from a file", _effort: "small" },
    ]);
    expect(existsSync(loopFile(root, `${ID}/tasks.jsonl.migrated`))).toBe(true);
    expect(existsSync(loopFile(root, `${ID}/.task.migrated/broken.json`))).toBe(true);
    const { revision } = await firstContact(root, ID);
    expect(revision).toBe(1);
  });

  test("keeps the documents of its tool beside ours", async () => {
    const develop = "# Development Progress\n\nA long story.\n";
    const root = project({
      [`.workflow/.loop/${ID}.json`]: WORKED_ON,
      [`.workflow/.loop/${ID}.progress/develop.md`]: develop,
      [`.workflow/.loop/${ID}.progress/debug.log`]: '{"hid":"H1"}\n',
    });
    await firstContact(root, ID);
    const progress = loopFile(root, `${ID}.progress`);
    expect(readFileSync(join(progress, "older/develop.md"), "utf8")).toBe(develop);
    expect(readFileSync(join(progress, "older/debug.log"), "utf8")).toBe('{"hid":"H1"}\n');
    expect(readFileSync(join(progress, "develop.md"), "utf8")).toContain("Write its tests");
  });

  test("is found by list, and adopted once by many stores", async () => {
    const root = project({ [`.workflow/.loop/${ID}.json`]: CREATED });
    const stores = Array.from({ length: 4 }, () => fsStore({ root }));
    const pages = await Promise.all(stores.map((store) => store.list()));
    expect(pages.map((page) => page.loops.map((loop) => loop.revision))).toEqual(
      stores.map(() => [1]),
    );
    await Promise.all(stores.map((store) => store.close()));
    expect((await firstContact(root, ID)).events).toHaveLength(1);
  });

  test("is not created a second time", async () => {
    const root = project({ [`.workflow/.loop/${ID}.json`]: CREATED });
    const store = fsStore({ root });
    expect(await codeOf(store.create(newLoop(ID), BY))).toBe("loop_exists");
    await store.close();
  });
});

test("a loop whose files were renamed goes by its new name", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("before"), BY);
  await store.close();
  for (const end of ["json", "history", "journal.jsonl"]) {
    renameSync(loopFile(root, `before.${end}`), loopFile(root, `after.${end}`));
  }
  const { state, revision, events } = await firstContact(root, "after");
  expect(state.loop_id).toBe("after");
  expect(revision).toBe(2);
  expect(events.map((one) => one.event.type)).toEqual(["loop.created", "external.edited"]);
});

describe("files that are no loops", () => {
  const prep = { version: "1.0.0", prep_status: "ready", tasks: { total: 1 } };

  test.each([
    ["prep-package", prep],
    ["prep-package", "{ not even JSON"],
    ["package", { name: "x", version: "1" }],
    ["list", [1, 2]],
  ])("%s is none", async (id, content) => {
    const root = project({ [`.workflow/.loop/${id}.json`]: content });
    const before = readFileSync(loopFile(root, `${id}.json`), "utf8");
    const store = fsStore({ root });
    expect(await codeOf(store.read(id))).toBe("loop_not_found");
    expect(await codeOf(store.remove(id))).toBe("loop_not_found");
    expect(await codeOf(store.append(id, 1, [started], BY))).toBe("loop_not_found");
    expect(await codeOf(store.create(newLoop(id), BY))).toBe("loop_exists");
    expect(await store.list()).toEqual({ loops: [], total: 0, damaged: [] });
    await store.close();
    expect(readFileSync(loopFile(root, `${id}.json`), "utf8")).toBe(before);
  });
});

describe("the place before this one: .loop at the top of the project", () => {
  test("is read and taken over without loss", async () => {
    const root = project({
      [`.loop/${ID}.json`]: WORKED_ON,
      [`.loop/${ID}.tasks.jsonl`]: JSON.stringify(taskLine("task-9")),
      [`.loop/${ID}.progress/develop.md`]: "# The story\n",
    });
    const store = fsStore({ root });
    expect((await store.list()).loops.map((loop) => loop.state.loop_id)).toEqual([ID]);
    const { state } = await store.read(ID);
    expect(state.skill_state?.last_action).toBe("DEVELOP");
    expect(tasksOf(state).map((task) => task.id)).toEqual(["task-001", "task-002", "task-9"]);
    expect(readFileSync(join(store.progressDir(ID), "older/develop.md"), "utf8")).toBe(
      "# The story\n",
    );
    expect(readJson(join(root, `.loop/${ID}.json.migrated`))).toEqual(WORKED_ON);
    expect(existsSync(join(root, `.loop/${ID}.json`))).toBe(false);

    await store.remove(ID);
    expect(readdirSync(join(root, ".loop"))).toEqual([]);
    expect((await store.list()).total).toBe(0);
    await store.close();
  });

  test("is not followed when it is a link", async () => {
    const elsewhere = project({ [`${ID}.json`]: CREATED });
    const root = makeProject();
    symlinkSync(elsewhere, join(root, ".loop"));
    const store = fsStore({ root });
    expect(await codeOf(store.read(ID))).toBe("loop_not_found");
    await store.close();
    expect(readdirSync(elsewhere)).toEqual([`${ID}.json`]);
  });
});

describe("the oldest place: a folder per session", () => {
  const id = SESSION.session_id;

  test("is read and taken over without loss", async () => {
    const root = project({
      [`.workflow/.loop/${id}/state.json`]: SESSION,
      [`.workflow/.loop/${id}/meta.json`]: { session_id: id, mode: "interactive" },
      [`.workflow/.loop/${id}/develop/progress.md`]: "# Progress\n",
      [`.workflow/.loop/${id}/develop/changes.log`]: "{}\n",
    });
    const store = fsStore({ root });
    expect((await store.list()).loops.map((loop) => loop.state.loop_id)).toEqual([id]);
    const { state } = await store.read(id);
    expect(state).toMatchObject({
      loop_id: id,
      title: "Implement user authentication",
      description: "Implement user authentication",
      status: "running",
      current_iteration: 3,
      context: { branch: "main" },
      skill_state: {
        mode: "interactive",
        last_action: "DEBUG",
        develop: { total: 1, completed: 0, current_task: "task-001" },
        debug: { active_bug: "Login fails", iteration: 1 },
      },
    });
    const older = join(store.progressDir(id), "older");
    expect(readFileSync(join(older, "develop/progress.md"), "utf8")).toBe("# Progress\n");
    expect(readJson(loopFile(root, `${id}/state.json.migrated`))).toEqual(SESSION);
    await store.remove(id);
    await store.close();
    expect(readdirSync(loopFile(root, ""))).toEqual([]);
  });

  test("says what an old state file left out", async () => {
    const { created_at, task_description, ...rest } = SESSION;
    const root = project({
      [`.workflow/.loop/${id}/state.json`]: rest,
      [`.workflow/.loop/${id}/meta.json`]: { created_at, task_description },
    });
    const { state } = await firstContact(root, id);
    expect(state).toMatchObject({ description: "Implement user authentication" });
  });
});
