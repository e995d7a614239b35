import type { LoopState } from "@ccw-loop/core";
import { fakeClock } from "@ccw-loop/testkit";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { compatFramesOf, compatSender } from "../../src/live/compat.ts";
import { addTask, liveBench, liveLoop, newLoop, type Reader } from "./listening.ts";

test("what operators do are the frames that upstream sent", async () => {
  const b = await liveLoop();
  const frames = async () => {
    const facts = (await Array.fromAsync(b.service.events("a"))).slice(-1);
    const state = await b.service.get("a");
    const { once, state: last } = compatFramesOf({ id: "a", state, facts });
    return { frames: [...once, ...(last ? [last] : [])], state };
  };
  const update = ({ status, updated_at }: LoopState) =>
    ({ type: "LOOP_STATE_UPDATE", loop_id: "a", status, updated_at }) as const;

  const created = await frames();
  expect(created.frames).toEqual([update(created.state)]);
  expect(Object.keys(created.frames[0] ?? {})).toEqual(["type", "loop_id", "status", "updated_at"]);
  await addTask(b.service, "a", "t1");
  await addTask(b.service, "a", "t2");
  const task = { task_id: "t2", order: 1, description: "t2", tool: "codex", mode: "write" };
  expect((await frames()).frames).toEqual([
    { type: "TASK_ADDED", loop_id: "a", task_id: "t2", task: expect.objectContaining(task) },
  ]);
  await b.service.send("a", {
    type: "edit_task",
    task_id: "t2",
    changes: { tool: "codex", command: "make" },
  });
  expect((await frames()).frames).toEqual([
    expect.objectContaining({
      type: "TASK_UPDATED",
      task: expect.objectContaining({ ...task, command: "make" }),
    }),
  ]);
  await b.service.send("a", { type: "reorder_tasks", task_ids: ["t2", "t1"] });
  const tasks = [
    expect.objectContaining({ task_id: "t2" }),
    expect.objectContaining({ task_id: "t1" }),
  ];
  expect((await frames()).frames).toEqual([
    { type: "TASK_REORDERED", loop_id: "a", ordered_task_ids: ["t2", "t1"], tasks },
  ]);
  await b.service.send("a", { type: "remove_task", task_id: "t2" });
  expect((await frames()).frames).toEqual([{ type: "TASK_DELETED", loop_id: "a", task_id: "t2" }]);
  await b.service.send("a", { type: "stop" });
  const stopped = await frames();
  expect(stopped.frames).toEqual([update(stopped.state)]);
  expect(compatFramesOf({ id: "a", state: null, facts: [] })).toEqual({
    once: [{ type: "LOOP_DELETED", loop_id: "a" }],
    state: null,
  });
});

test("a run has frames for its actions and its end", async () => {
  const b = await liveLoop();
  await b.service.send("a", {
    type: "edit",
    changes: { settings: { mode: "auto", expect: "unchanged" } },
  });
  const state = await b.service.run("a");
  const facts = await Array.fromAsync(b.service.events("a"));
  const { once } = compatFramesOf({ id: "a", state, facts });
  expect(state.status).toBe("completed");
  const steps = once.map(
    ({ type, step_id, exit_code }) => `${type} ${step_id ?? ""} ${exit_code ?? ""}`,
  );
  expect(steps.map((step) => step.trim())).toEqual([
    "LOOP_STEP_COMPLETED INIT 0",
    "LOOP_STEP_COMPLETED DEVELOP 0",
    "LOOP_STEP_COMPLETED VALIDATE 0",
    "LOOP_STEP_COMPLETED COMPLETE 0",
    "LOOP_COMPLETED",
  ]);
  expect(once.at(-1)).toMatchObject({ final_status: "completed", total_iterations: 2 });
});

test("states of a loop are a second apart, and the last one always comes", async () => {
  const { service } = liveBench();
  await newLoop(service, "a");
  const state = await service.get("a");
  const facts = await Array.fromAsync(service.events("a"));
  const change = fc.record({ after: fc.nat(1500), id: fc.constantFrom("a", "b") });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1 }), async (changes) => {
      const clock = fakeClock();
      const sent: { loop_id: string; updated_at?: unknown; ms: number }[] = [];
      const send = compatSender(clock, new AbortController().signal, (frame) => {
        sent.push({ ...frame, ms: clock.monotonic() });
      });
      for (const [n, { after, id }] of changes.entries()) {
        await clock.advance(after);
        send({ id, state: { ...state, updated_at: `${n}` }, facts });
      }
      await clock.advance(2000);
      for (const id of ["a", "b"]) {
        const own = sent.filter(({ loop_id }) => loop_id === id);
        const last = changes.findLastIndex((one) => one.id === id);
        expect(own.at(-1)?.updated_at).toBe(last === -1 ? undefined : `${last}`);
        own.slice(1).forEach(({ ms }, k) => {
          expect(ms - (own[k]?.ms ?? 0)).toBeGreaterThanOrEqual(1000);
        });
      }
    }),
  );
});

test("of twenty loops that change at once, every last state arrives", async () => {
  const b = liveBench();
  const ids = Array.from({ length: 20 }, (_, n) => `loop-${n}`);
  for (const id of ids) await newLoop(b.service, id);
  const reader = await b.serve().listen("/api/events?format=compat");
  for (const id of ids) await b.service.send(id, { type: "start" });
  for (const id of ids) await b.service.send(id, { type: "pause" });
  const last = new Map<string, string>();
  while (ids.some((id) => last.get(id) !== "paused")) {
    const frame = await nextFrame(reader);
    expect(frame.type).toBe("LOOP_STATE_UPDATE");
    last.set(frame.loop_id, frame.status);
  }
});

test("the stream of one loop tells of no other", async () => {
  const b = await liveLoop();
  await newLoop(b.service, "b");
  const reader = await b.serve().listen("/api/loops/v2/b/events?format=compat");
  await addTask(b.service, "a", "t1");
  await addTask(b.service, "b", "t2");
  expect(await nextFrame(reader)).toMatchObject({ type: "TASK_ADDED", loop_id: "b" });
  await b.service.delete("b");
  expect(await nextFrame(reader)).toEqual({ type: "LOOP_DELETED", loop_id: "b" });
});

test("frames end for a consumer that is far behind", async () => {
  const b = await liveLoop();
  const { listen, live } = b.serve({ limits: { streamBytes: 1000, kept: 1 } });
  const late = await listen("/api/events?format=compat");
  const quick = await listen("/api/events?format=compat");
  for (let n = 0; n < 20; n += 1) {
    await addTask(b.service, "a", `t${n}`, "x".repeat(2000));
    await nextFrame(quick);
  }
  expect((await late.rest()).length).toBeLessThan(20);
  await vi.waitFor(() => expect(live.figures().listeners).toBe(1));
});

async function nextFrame(reader: Reader) {
  const [message] = await reader.take(1);
  expect(message?.event).toBeUndefined();
  return JSON.parse(message?.data ?? "");
}
