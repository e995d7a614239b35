import {
  Baseline,
  Checkpoint,
  DevelopTask,
  type LiveEvent,
  type LoopEvent,
  type LoopState,
  testStates,
} from "@ccw-loop/core";
import { memoryStore, sampleVerification } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { actions, bench, plan, type Turns, verifierThat, write } from "./support.ts";

const hanging = {
  action: "DEVELOP",
  expect: "# ACTION: DEVELOP",
  once: true,
  steps: [{ write: { path: "half.js", content: "half" } }, { run: "sleep 60" }],
  answer: {},
};
const repeated = {
  ...write("whole.js", "whole"),
  expect: ["# ACTION: DEVELOP task-001", "begun before and cut off"],
};
const TURNS: Turns = [plan("one"), hanging, repeated];

/** Runs a loop until its command sleeps, then does `act`, and answers how the run ended. */
async function during(
  act: (id: string, b: ReturnType<typeof bench>, abort: AbortController) => Promise<unknown>,
  b = bench(TURNS, verifierThat("pass")),
) {
  const id = await b.start();
  const abort = new AbortController();
  const sleeping = Promise.withResolvers<void>();
  const run = b.service.run(id, {
    signal: abort.signal,
    onEvent: (live: LiveEvent) => {
      if (live.kind === "activity" && live.activity.event.type === "command.started") {
        sleeping.resolve();
      }
    },
  });
  run.catch(() => undefined);
  await sleeping.promise;
  await act(id, b, abort);
  return { id, b, run };
}

async function finishes(b: ReturnType<typeof bench>, id: string): Promise<LoopState> {
  const state = await b.service.run(id);
  expect((await actions(b.store, id)).join(" ")).toBe(
    "INIT DEVELOP(interrupted) DEVELOP VALIDATE(pass) COMPLETE",
  );
  expect(state.skill_state?.develop.tasks[0]?.files_changed).toEqual(["half.js", "whole.js"]);
  return state;
}

test("a pause ends the running turn; resume repeats that action in the same agent session", async () => {
  const { id, b, run } = await during((loop, { service }) => service.send(loop, { type: "pause" }));
  const paused = await run;
  expect(paused).toMatchObject({ status: "paused", action: { name: "DEVELOP", attempt: 1 } });
  expect((await b.service.why(id)).driven_by).toBeNull();
  const state = await finishes(b, id);
  expect(state.agent?.session_id).toBe(paused.agent?.session_id);
  expect(state.current_iteration).toBe(2);
});

test("a stop ends the running turn and the loop", async () => {
  const { run } = await during((id, { service }) => service.send(id, { type: "stop" }));
  expect(await run).toMatchObject({ status: "failed", outcome: { code: "stopped_by_user" } });
});

test("the caller's signal pauses the loop with its reason", async () => {
  const { id, b, run } = await during(async (_, __, abort) => abort.abort("SIGINT"));
  expect(await run).toMatchObject({ status: "paused", action: { interrupted: "SIGINT" } });
  await finishes(b, id);
});

test("paused and resumed before the turn has ended: the same run goes on", async () => {
  const { b, id, run } = await during(async (loop, { service }) => {
    await service.send(loop, { type: "pause" });
    await service.send(loop, { type: "resume" });
  });
  expect((await run).status).toBe("completed");
  const done = await actions(b.store, id);
  expect(done.filter((a) => a === "DEVELOP")).toHaveLength(1);
});

test("a stop during VALIDATE ends the test run", async () => {
  const verifier = verifierThat("hang");
  const b = bench([plan("one"), write("a.js", "1")], verifier);
  const id = await b.start();
  const run = b.service.run(id);
  await vi.waitFor(() => expect(verifier.ran).toBe(1));
  await b.service.send(id, { type: "stop" });
  expect(await run).toMatchObject({ status: "failed", outcome: { code: "stopped_by_user" } });
});

test("two orchestrators never drive one loop", async () => {
  const { id, b, run } = await during(async (loop, other) => {
    const second = bench(TURNS, verifierThat("pass"), { store: other.store });
    await expect(second.service.run(loop)).rejects.toMatchObject({ code: "loop_busy" });
  });
  await b.service.send(id, { type: "stop" });
  await run;
});

test("an orchestrator that lost its lease records nothing more", async () => {
  const store = memoryStore();
  const b = bench(TURNS, verifierThat("pass"), { store, leaseTtlMs: 1000 });
  const { id, run } = await during(async (loop) => {
    store.renew = async () => {
      await Promise.reject(new Error("the store cannot be reached"));
    };
    await vi.waitFor(async () => {
      await store.claim(loop, "somebody else", 60_000);
    }, 10_000);
  }, b);
  await expect(run).rejects.toMatchObject({ code: "fenced" });
  expect(await actions(store, id)).toEqual(["INIT"]);
});

test("an action that its process did not live to end is repeated, and recorded once", async () => {
  const b = bench([repeated], verifierThat("pass"));
  const id = await b.start();
  const at = new Date().toISOString();
  const task = { ...DevelopTask.parse({ id: "task-001", description: "one" }), created_at: at };
  const output = { action: "INIT" as const, mode: "auto" as const, tasks: [task] };
  const kept = await b.workspace.checkpoint(id, 0, "start");
  const checkpoint = Checkpoint.parse({ n: 0, at, action: null, ...kept });
  const { command, reason, counts, commands, tests } = sampleVerification(true);
  const measured = { command, reason, counts, commands, tests: testStates(tests) };
  const baseline = Baseline.parse({ at, tree: kept.tree, ...measured });
  const dead: LoopEvent[] = [
    { type: "loop.started", at },
    { type: "checkpoint.made", at, checkpoint },
    { type: "baseline.measured", at, baseline },
    { type: "action.started", at, action: "INIT", attempt: 1, task_id: null, tree: null },
    { type: "action.completed", at, action: "INIT", output, active_ms: 1, message: "planned" },
    { type: "action.started", at, action: "DEVELOP", attempt: 1, task_id: task.id, tree: null },
  ];
  await b.store.append(id, 1, dead, { actor: "killed" });
  expect((await b.service.run(id)).status).toBe("completed");
  expect((await actions(b.store, id)).join(" ")).toBe(
    "INIT DEVELOP(interrupted) DEVELOP VALIDATE(pass) COMPLETE",
  );
});

test("steer reaches the running turn, and is refused without one", async () => {
  const listening = {
    action: "DEVELOP",
    steps: [
      { write: { path: "a.js", content: "1" } },
      { say: "ready" },
      { expect_steer: "use the blue one" },
    ],
    answer: { message: "heard" },
  };
  const b = bench([plan("one"), listening], verifierThat("pass"));
  const id = await b.start();
  await expect(b.service.steer(id, "x")).rejects.toMatchObject({ code: "invalid_input" });
  const ready = Promise.withResolvers<void>();
  const run = b.service.run(id, {
    onEvent: (live) => {
      if (live.kind !== "activity") return;
      const { event } = live.activity;
      if (event.type === "message.completed" && event.text === "ready") ready.resolve();
    },
  });
  await ready.promise;
  await b.service.steer(id, "use the blue one");
  expect((await run).status).toBe("completed");
});

test("settings of other programs are kept", async () => {
  const { service } = bench(TURNS, verifierThat("pass"));
  const settings = { mode: "interactive", ...{ of_mine: [1, null] } } as const;
  const { loop_id } = await service.create({ description: "x", settings });
  expect((await service.get(loop_id)).settings).toMatchObject(settings);
});
