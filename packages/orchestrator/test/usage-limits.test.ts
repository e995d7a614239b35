import { type LoopEvent, MAX_ATTEMPTS } from "@ccw-loop/core";
import { fakeClock, memoryStore, scriptedAgent } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { type LoopServiceOptions, loopService } from "../src/index.ts";
import { actions, bench, driven, eventsOf, plan, verifierThat, write } from "./support.ts";

const limit = { code: "usage_limit" as const, resets_in: 3600 };
const full = { action: "DEVELOP", once: true, steps: [{ fail: limit }] };
const HOUR = 3_600_000;

function parts(turns: Parameters<typeof bench>[0] = [plan("one"), full, write("a.js", "1")]) {
  const clock = fakeClock();
  const store = memoryStore({ monotonic: clock.monotonic });
  const agent = scriptedAgent({ script: { turns }, now: clock.now });
  const changes = { store, clock, agent: async () => agent, leaseTtlMs: 60_000 };
  return { clock, ...bench(turns, verifierThat("pass"), changes), changes };
}

const ended = async (b: ReturnType<typeof bench>, id: string) =>
  (await eventsOf(b.store, id, "waiting.ended")).map(({ reason }) => reason);

const waits = (b: ReturnType<typeof bench>, id: string) =>
  vi.waitFor(async () => {
    expect((await b.service.get(id)).waiting?.kind).toBe("usage_limit");
  });

test("goes on exactly once when the limit is lifted, whoever else waits for it", async () => {
  const b = parts();
  const id = await b.start();
  const run = b.service.run(id);
  await waits(b, id);
  const other = loopService({ ...options(b), owner: "other" });
  await expect(other.run(id)).rejects.toMatchObject({ code: "loop_busy" });
  await b.clock.sleepers(2);
  await b.clock.advance(HOUR - 1000);
  expect(await ended(b, id)).toEqual([]);
  await b.clock.advance(2000);
  expect((await run).status).toBe("completed");
  expect(await ended(b, id)).toEqual(["reset"]);
});

test("after a restart it waits for what is left, and after a long sleep not at all", async () => {
  const b = parts();
  const id = await b.start();
  expect((await b.service.run(id, { waitForLimits: false })).waiting?.kind).toBe("usage_limit");
  await b.clock.advance(HOUR / 2);
  const run = b.service.run(id);
  await b.clock.sleepers(2);
  await b.clock.advance(HOUR / 4);
  expect(await ended(b, id)).toEqual([]);
  // The machine slept: the wall clock is ahead of every timer.
  b.clock.setWall(new Date(b.clock.now().getTime() + HOUR).toISOString());
  await b.clock.advance(61_000);
  expect((await run).status).toBe("completed");
  expect(await ended(b, id)).toEqual(["reset"]);
});

test("resume --now from elsewhere is tried at once; a limit that is still there is waited for again", async () => {
  const b = parts([plan("one"), full, full, write("a.js", "1")]);
  const id = await b.start();
  const run = b.service.run(id);
  await waits(b, id);
  const first = (await b.service.get(id)).waiting?.since;
  await b.clock.advance(5000);
  const operator = loopService({ ...options(b), owner: "operator" });
  await operator.send(id, { type: "resume", now: true });
  await vi.waitFor(async () => {
    const { waiting } = await b.service.get(id);
    expect(waiting?.kind).toBe("usage_limit");
    expect(waiting?.since).not.toBe(first);
  });
  await operator.send(id, { type: "resume", now: true });
  expect((await run).status).toBe("completed");
  expect(await ended(b, id)).toEqual(["now", "now"]);
});

test("prose is no limit", async () => {
  const said = "usage limit reached, try again at 5pm";
  const develop = write("a.js", "1");
  const turn = {
    ...develop,
    steps: [{ say: said }, { run: `echo "${said}"` }, ...develop.steps],
    answer: { message: said, state_updates: { summary: said } },
  };
  const b = bench([plan("one"), turn], verifierThat("pass"));
  const id = await b.start();
  expect((await b.service.run(id)).status).toBe("completed");
  expect(await ended(b, id)).toEqual([]);
});

test("an answer that is nothing but such prose is a bad answer, and waits for nobody", async () => {
  const prose = {
    action: "DEVELOP",
    repeat: true,
    answer: "Usage limit reached. Try again at 5pm.",
  };
  const b = bench([plan("one"), prose], verifierThat("pass"));
  const { id, state } = await driven(b, { limits: { max_consecutive_failures: 2 } });
  expect(state).toMatchObject({ status: "failed", outcome: { code: "consecutive_failures" } });
  expect(await eventsOf(b.store, id, "waiting.started")).toEqual([]);
});

test("pauses, answers and waits are no attempts that came to nothing", async () => {
  const cuts = (cause: "operator" | "usage_limit" | "question" | "crash"): LoopEvent[] =>
    Array.from({ length: MAX_ATTEMPTS + 4 }, (_, i): LoopEvent[] => {
      const at = new Date().toISOString();
      const task_id = "task-001";
      return [
        { type: "action.started", at, action: "DEVELOP", attempt: i + 1, task_id, tree: null },
        { type: "action.interrupted", at, action: "DEVELOP", reason: "x", active_ms: 1, cause },
      ];
    }).flat();
  const outcome = async (cause: Parameters<typeof cuts>[0]) => {
    const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
    const id = await b.start();
    const stop = new AbortController();
    await b.service.run(id, {
      signal: stop.signal,
      onEvent: (live) => {
        const { type } = live.kind === "recorded" ? live.recorded.event : { type: "" };
        if (type === "action.completed") stop.abort("enough");
      },
    });
    const { revision = 0 } = await b.service.get(id);
    await b.store.append(id, revision, cuts(cause), { actor: "test" });
    await b.service.run(id).catch(() => undefined);
    return (await actions(b.store, id)).includes("DEVELOP(failed)");
  };
  expect(await outcome("operator")).toBe(false);
  expect(await outcome("usage_limit")).toBe(false);
  expect(await outcome("question")).toBe(false);
  expect(await outcome("crash")).toBe(true);
});

function options(b: ReturnType<typeof parts>): LoopServiceOptions {
  return {
    ...b.changes,
    verifier: verifierThat("pass"),
    workspace: async () => {
      throw new TypeError("Only the driver has a workspace.");
    },
    cwd: b.dir,
  };
}
