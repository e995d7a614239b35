import type { LoopState } from "@ccw-loop/core";
import { fakeClock } from "@ccw-loop/testkit";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { compatFrames, compatFramesOf, StateThrottle } from "../../src/live/compat.ts";
import { addTask, all, liveBench, newLoop, type Reader } from "./listening.ts";

test("what operators do are the frames that upstream sent", async () => {
  const b = liveBench();
  await newLoop(b.service, "a");
  const frames = async () => {
    const facts = (await all(b.service.events("a"))).slice(-1);
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
  await b.service.send("a", { type: "edit_task", task_id: "t2", changes: { tool: "bash" } });
  expect((await frames()).frames).toEqual([
    expect.objectContaining({
      type: "TASK_UPDATED",
      task: expect.objectContaining({ ...task, tool: "bash" }),
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
  const b = liveBench();
  await newLoop(b.service, "a");
  await b.service.send("a", {
    type: "edit",
    changes: { settings: { mode: "auto", expect: "unchanged" } },
  });
  const state = await b.service.run("a");
  const facts = await all(b.service.events("a"));
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

test("states of a loop are a second apart, and the last one always comes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ after: fc.nat(1500), loop: fc.constantFrom("a", "b") }), {
        minLength: 1,
      }),
      (changes) => {
        const pace = new StateThrottle<{ loop: string; n: number }>();
        const sent: { loop: string; n: number; at: number }[] = [];
        const last: Record<string, number> = {};
        let now = 0;
        const until = (time: number) => {
          for (let due = pace.next(); due !== null && due <= time; due = pace.next()) {
            for (const one of pace.due(due)) sent.push({ ...one, at: due });
          }
          now = time;
        };
        changes.forEach(({ after, loop }, n) => {
          until(now + after);
          last[loop] = n;
          if (pace.offer(loop, { loop, n }, now)) sent.push({ loop, n, at: now });
        });
        until(now + 1000);
        expect(pace.next()).toBeNull();
        for (const [loop, n] of Object.entries(last)) {
          const own = sent.filter((one) => one.loop === loop);
          expect(own.at(-1)?.n).toBe(n);
          own.slice(1).forEach(({ at }, k) => {
            expect(at - (own[k]?.at ?? 0)).toBeGreaterThanOrEqual(1000);
          });
        }
      },
    ),
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
  const b = liveBench();
  await newLoop(b.service, "a");
  await newLoop(b.service, "b");
  const reader = await b.serve().listen("/api/loops/v2/b/events?format=compat");
  await addTask(b.service, "a", "t1");
  await addTask(b.service, "b", "t2");
  expect(await nextFrame(reader)).toMatchObject({ type: "TASK_ADDED", loop_id: "b" });
  await b.service.delete("b");
  expect(await nextFrame(reader)).toEqual({ type: "LOOP_DELETED", loop_id: "b" });
});

test("frames end for a consumer that is far behind, and hold nothing after that", async () => {
  const b = liveBench();
  await newLoop(b.service, "a");
  const { live } = b.serve({ clock: fakeClock() });
  const changed = vi.fn();
  const follow = vi.fn(live.follow);
  const frames = await compatFrames({ ...live, follow }, { signal: new AbortController().signal });
  await live.follow(changed, () => undefined);
  const description = "x".repeat(600_000);
  for (const id of ["t1", "t2", "t3"]) {
    await addTask(b.service, "a", id, description);
  }
  // Whether they are told together or one by one: all three are behind it.
  await vi.waitFor(() => expect(JSON.stringify(changed.mock.calls)).toContain('"id":"t3"'));
  expect((await all(frames)).length).toBeLessThan(3);
  expect(follow).toHaveBeenCalledOnce();
});

async function nextFrame(reader: Reader) {
  const [message] = await reader.take(1);
  expect(message?.event).toBeUndefined();
  return JSON.parse(message?.data ?? "");
}
