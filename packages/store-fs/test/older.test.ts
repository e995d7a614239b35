import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type LoopStore, tasksOf } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { BY, codeOf, eventsOf, loopFile, newLoop, paused, readJson, started } from "./loops.ts";
import { CREATED, ID, SESSION, taskLine, WORKED_ON } from "./older-files.ts";
import { makeProject } from "./project.ts";

/** Every path below a project with what would tell that it was touched. */
function traces(root: string): unknown[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => {
    const { mode, ino, size, mtimeMs, ctimeMs } = lstatSync(join(root, name));
    return { name, mode, ino, size, mtimeMs, ctimeMs };
  });
}

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

  test("is adopted once by many stores", async () => {
    const root = project({ [`.workflow/.loop/${ID}.json`]: CREATED });
    const stores = Array.from({ length: 4 }, () => fsStore({ root }));
    const read = await Promise.all(stores.map((store) => store.read(ID)));
    expect(read.map(({ revision }) => revision)).toEqual([1, 1, 1, 1]);
    const pages = await Promise.all(stores.map((store) => store.list()));
    expect(pages.map((page) => page.loops.map((loop) => loop.revision))).toEqual(
      stores.map(() => [1]),
    );
    await Promise.all(stores.map((store) => store.close()));
    expect((await firstContact(root, ID)).events).toHaveLength(1);
  });

  test("is listed without writing anything, and taken over when it is touched", async () => {
    const root = project({
      [`.workflow/.loop/${ID}.json`]: CREATED,
      [`.workflow/.loop/${ID}.tasks.jsonl`]: `${JSON.stringify(taskLine("task-1"))}\n`,
      ".workflow/.loop/other.json": { ...WORKED_ON, loop_id: "other" },
      [`.workflow/.loop/${SESSION.session_id}/state.json`]: SESSION,
    });
    const before = traces(root);
    const store = fsStore({ root });
    const { loops, total } = await store.list();
    expect(total).toBe(3);
    expect(loops.map(({ revision }) => revision)).toEqual([0, 0, 0]);
    expect(traces(root)).toEqual(before);
    await store.read(ID);
    expect(existsSync(loopFile(root, `${ID}.history`))).toBe(true);
    expect(existsSync(loopFile(root, "other.history"))).toBe(false);
    await store.close();
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

describe("a list", () => {
  const session = SESSION.session_id;
  const OLD = {
    ".workflow/.loop/made.json": { ...CREATED, loop_id: "made" },
    ".workflow/.loop/made/tasks.jsonl": `${JSON.stringify(taskLine("task-1"))}\n`,
    ".loop/moved.json": WORKED_ON,
    ".loop/moved.progress/develop.md": "# The story\n",
    [`.workflow/.loop/${session}/state.json`]: SESSION,
    ".workflow/.loop/broken.json": "{",
    ".loop/lost.json": { ...CREATED, max_iterations: 1e308 },
  };
  const ids = async (store: LoopStore) =>
    (await store.list()).loops.map(({ state }) => state.loop_id).sort();

  test("shows loops of older tools, and touches no file", async () => {
    const root = project(OLD);
    chmodSync(loopFile(root, ""), 0o755);
    const before = traces(root);
    const store = fsStore({ root });
    const { loops, total, damaged } = await store.list();
    expect(total).toBe(3);
    expect(loops.map(({ state }) => state.loop_id).sort()).toEqual([session, "made", "moved"]);
    expect(loops.map(({ revision }) => revision)).toEqual([0, 0, 0]);
    const made = loops.find(({ state }) => state.loop_id === "made")?.state;
    expect(made && tasksOf(made).map(({ id }) => id)).toEqual(["task-1"]);
    expect(damaged.map(({ id }) => id).sort()).toEqual(["broken", "lost"]);
    await store.close();
    expect(traces(root)).toEqual(before);
  });

  test("says of a damaged one what helps, and it can be removed", async () => {
    const root = project(OLD);
    const store = fsStore({ root });
    const { damaged } = await store.list();
    const reasons = Object.fromEntries(damaged.map(({ id, reason }) => [id, reason]));
    expect(reasons.broken).toContain("ccw-loop recover broken");
    expect(reasons.lost).toContain("max_iterations must be a number above 0, at most 1000000");
    expect(reasons.lost).toContain(join(root, ".loop/lost.json"));
    expect(reasons.lost).toContain("ccw-loop delete lost");
    expect(await codeOf(store.read("lost"))).toBe("store_corrupt");
    await store.remove("lost");
    expect(existsSync(join(root, ".loop/lost.json"))).toBe(false);
    expect((await store.list()).damaged.map(({ id }) => id)).toEqual(["broken"]);
    await store.close();
  });

  test("goes on showing what its tool writes there, until somebody works with it here", async () => {
    const root = project(OLD);
    const store = fsStore({ root });
    await store.list();
    for (const name of [".loop/moved.json", `.workflow/.loop/${session}/state.json`]) {
      const text = readFileSync(join(root, name), "utf8").replace("user auth", "guest auth");
      writeFileSync(join(root, name), text);
    }
    expect((await store.list({ text: "guest auth" })).total).toBe(2);
    rmSync(join(root, ".loop/moved.json"));
    expect(await ids(store)).toEqual([session, "made"]);
    expect((await store.read(session)).revision).toBe(1);
    const { loops } = await store.list({ text: "guest auth" });
    expect(loops.map(({ revision }) => revision)).toEqual([1]);
    await store.close();
  });

  test("shows what another program wrote over a loop of ours, before it is taken in", async () => {
    const root = makeProject();
    const store = fsStore({ root });
    await store.create(newLoop("a"), BY);
    await store.append("a", 1, [started], BY);
    await store.close();
    const theirs = { ...readJson(loopFile(root, "a.json")), title: "Theirs", etag: "theirs" };
    writeFileSync(loopFile(root, "a.json"), JSON.stringify(theirs));
    const before = traces(root);
    const other = fsStore({ root });
    const { loops } = await other.list();
    expect(loops).toMatchObject([{ revision: 2, state: { title: "Theirs", status: "running" } }]);
    expect(traces(root)).toEqual(before);
    expect((await other.read("a")).revision).toBe(3);
    await other.close();
  });
});

test("a loop with files in its older place that cannot be read is taken over without them", async () => {
  const id = SESSION.session_id;
  const root = project({ [`.workflow/.loop/${id}/state.json`]: SESSION });
  mkdirSync(loopFile(root, `${id}/tasks.jsonl`));
  mkdirSync(loopFile(root, `${id}/meta.json`));
  symlinkSync(".task", loopFile(root, `${id}/.task`));
  const warnings: string[] = [];
  const store = fsStore({ root, onWarning: ({ message }) => warnings.push(message) });
  expect((await store.read(id)).revision).toBe(1);
  await store.close();
  expect(warnings.join("\n")).toMatch(/tasks\.jsonl was not taken over/);
  expect(existsSync(loopFile(root, `${id}/tasks.jsonl`))).toBe(true);
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

    await store.append(ID, 1, [paused], BY);
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
    await store.append(id, 1, [paused], BY);
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
