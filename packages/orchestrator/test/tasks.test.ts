import { DevelopTask, isLoopError, LoopError, NewTask, type Workspace } from "@ccw-loop/core";
import { folderWorkspace } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { afterCommit, isStart } from "./interfere.ts";
import { actions, bench, cause, debug, driven, plan, verifierThat, write } from "./support.ts";

const bad = { action: "DEVELOP", answer: { status: "failed" as const, message: "no idea" } };
const given = (id: string) => NewTask.parse({ id, description: "given by a person" });

async function ids(b: ReturnType<typeof bench>, id: string): Promise<string[]> {
  return (await b.service.tasks(id)).map((task) => task.id);
}

test("the plan leaves ids alone that a person gave while it was made", async () => {
  const b = bench([plan("one"), write("a.js", "1"), write("b.js", "2")], verifierThat("pass"));
  const id = await b.start();
  afterCommit(b.store, isStart("INIT"), () =>
    b.service.send(id, { type: "add_task", task: given("task-001") }),
  );
  expect((await b.service.run(id)).status).toBe("completed");
  expect(await ids(b, id)).toEqual(["task-002", "task-001"]);
});

test("a fix task never gets the id of one that is there, also after one was removed", async () => {
  const low = (found: boolean) => [{ kind: "pattern", pattern: "^[1-3]$", found }];
  const probe = { command: "cat a.js", if_holds: low(true), if_not: low(false) };
  const hypotheses = [{ ...cause.hypotheses[0], probe }];
  const twice = debug({
    ...cause,
    hypotheses,
    fix_tasks: [{ description: "x" }, { description: "y" }],
  });
  const turns = [plan("one"), write("a.js", "1"), twice, write("a.js", "2"), write("a.js", "3")];
  const b = bench([...turns, twice, write("a.js", "4"), write("a.js", "5")], {
    ...verifierThat("fail", "fail", "pass"),
  });
  const id = await b.start();
  let debugs = 0;
  const { append } = b.store;
  b.store.append = async (loop, revision, events, options) => {
    const stored = await append(loop, revision, events, options);
    if (events.some(isStart("DEBUG"))) debugs += 1;
    if (events.some(isStart("DEBUG")) && debugs === 2) {
      await b.service.send(id, { type: "remove_task", task_id: "fix-001" });
    }
    return stored;
  };
  expect((await b.service.run(id)).status).toBe("completed");
  expect(await ids(b, id)).toEqual(["task-001", "fix-002", "fix-003", "fix-004"]);
});

test("each fix repairs the failed task that the agent names", async () => {
  const fixes = [
    { description: "second", fixes: "task-002" },
    { description: "first", fixes: "task-001" },
  ];
  const exits = (value: number) => [{ kind: "exit_code", compare: "=", value }];
  const probe = { command: "pwd; test -e a.js", if_holds: exits(1), if_not: exits(0) };
  const hypotheses = [{ ...cause.hypotheses[0], probe }];
  const looking = debug({ ...cause, hypotheses, fix_tasks: fixes });
  const turns = [plan("one", "two"), bad, bad, looking];
  const b = bench([...turns, write("a.js", "1"), write("b.js", "2")], verifierThat("pass"));
  const { state } = await driven(b);
  expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
  expect(state.skill_state?.develop.tasks.slice(2)).toMatchObject([
    { fixes: "task-002" },
    { fixes: "task-001" },
  ]);
});

test("an action whose first tree is not known any more is measured from its last beginning", async () => {
  let known: Workspace | undefined;
  const workspace = async (): Promise<Workspace> => {
    const files = known ?? folderWorkspace(b.dir);
    known = files;
    return {
      ...files,
      changes: async (from, to) => {
        if (from === "lost") throw new LoopError("invalid_input", "No such tree.");
        return files.changes(from, to);
      },
    };
  };
  const b = bench([write("a.js", "1")], verifierThat("pass"), { workspace });
  const id = await b.start();
  const at = new Date().toISOString();
  const output = {
    action: "INIT" as const,
    mode: "auto" as const,
    tasks: [DevelopTask.parse(given("t"))],
  };
  const begun = { action: "DEVELOP" as const, attempt: 1, task_id: "t", tree: "lost" };
  await b.store.append(
    id,
    1,
    [
      { type: "loop.started", at },
      { type: "action.completed", at, action: "INIT", output, active_ms: 1, message: "planned" },
      { type: "action.started", at, ...begun },
    ],
    { actor: "killed" },
  );
  const state = await b.service.run(id);
  expect(state.skill_state?.develop.tasks[0]).toMatchObject({ files_changed: ["a.js"] });
});

test("many commands at once are all decided, each against the newest state", async () => {
  const b = bench([plan("one")], verifierThat("pass"));
  const id = await b.start();
  const names = Array.from({ length: 120 }, (_, i) => `t-${i}`);
  await Promise.all(
    names.map((name) => b.service.send(id, { type: "add_task", task: given(name) })),
  );
  expect(await ids(b, id)).toEqual(names);
  const again = b.service.send(id, { type: "add_task", task: given("t-7") });
  await expect(again).rejects.toSatisfy((error) => isLoopError(error, "invalid_input"));
});

test("a watcher misses nothing that is written as it begins to listen", async () => {
  const b = bench([plan("one")], verifierThat("pass"));
  const { events } = b.store;
  const id = await b.start();
  let late = false;
  // The journal is written to in the instant after it was read to its end.
  b.store.events = async function* (...args) {
    yield* events(...args);
    if (late) return;
    late = true;
    await b.service.send(id, { type: "start" });
  };
  const abort = new AbortController();
  const seen: string[] = [];
  for await (const live of b.service.watch(id, { after: 0, signal: abort.signal })) {
    if (live.kind === "recorded") seen.push(live.recorded.event.type);
    if (seen.includes("loop.started")) abort.abort();
  }
  expect(seen).toEqual(["loop.created", "loop.started"]);
  expect(await actions(b.store, id)).toEqual([]);
});
