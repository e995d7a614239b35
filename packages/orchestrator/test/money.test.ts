import { evolve, type LoopState } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import { bench, journal, plan, type Turns, verifierThat, write } from "./support.ts";

const hang = { hang: true as const };

/** Uses so much in the middle of a turn that would never end by itself. */
const spends = (use: { input?: number; output?: number; cost?: number }) => ({
  action: "DEVELOP",
  steps: [{ use }, hang],
});

async function runs(turns: Turns, limits: NonNullable<LoopState["limits"]>) {
  const b = bench(turns, verifierThat("pass"));
  const id = await b.start({ limits });
  return { b, id, state: await b.service.run(id) };
}

test("a turn that spends more than the loop may is cut off, and its money is on record", async () => {
  const { state, b, id } = await runs(
    [plan("one"), spends({ input: 900, output: 100, cost: 2.5 })],
    { max_cost_usd: 2 },
  );
  expect(state).toMatchObject({
    status: "failed",
    outcome: { code: "budget_exhausted" },
    usage: { turns: 2, total_tokens: 1000, cost_usd: 2.5 },
  });
  expect(state.outcome?.message).toBe(
    `$2.50 of $2.00 are used. Left: 1 task open (task-001). Go on with: ccw-loop resume ${id} --reopen --max-cost 4`,
  );
  const cut = (await journal(b.store, id)).find((r) => r.event.type === "action.interrupted");
  expect(cut?.event).toMatchObject({ action: "DEVELOP", cause: "limit" });
});

test("tokens are a bound during a turn, too, and two turns add up", async () => {
  const first = { ...write("a.js", "1"), usage: { input: 500, output: 100 } };
  const { state } = await runs([plan("one", "two"), first, spends({ input: 300, output: 100 })], {
    max_tokens: 1000,
  });
  expect(state).toMatchObject({ outcome: { code: "budget_exhausted" } });
  expect(state.usage?.total_tokens).toBe(1000);
  expect(state.outcome?.message).toContain("--max-tokens 2000");
});

test("what a turn that failed has used is not lost", async () => {
  const dies = {
    action: "DEVELOP",
    once: true,
    steps: [{ use: { input: 10, output: 5, cost: 0.25 } }, { fail: "usage_limit" as const }],
  };
  const b = bench([plan("one"), dies, write("a.js", "1")], verifierThat("pass"));
  const id = await b.start();
  const { usage } = await b.service.run(id, { waitForLimits: false });
  expect(usage).toMatchObject({ total_tokens: 15, cost_usd: 0.25 });
});

test("the end of a turn says what it used; running totals before it do not count twice", async () => {
  const develop = write("a.js", "1");
  const steps = [{ use: { input: 10, cost: 0.1 } }, { use: { input: 20, cost: 0.2 } }];
  const turn = { ...develop, steps: [...steps, ...develop.steps], usage: { input: 30, cost: 0.3 } };
  const { state } = await runs([plan("one"), turn], { max_cost_usd: 1 });
  expect(state).toMatchObject({ status: "completed", usage: { total_tokens: 30, cost_usd: 0.3 } });
});

test("a bound that an operator raises while the turn runs is not held against it", async () => {
  const develop = write("a.js", "1");
  const turn = { ...develop, steps: [{ wait: 300 }, { use: { cost: 5 } }, ...develop.steps] };
  const b = bench([plan("one"), { ...turn, usage: { cost: 5 } }], verifierThat("pass"));
  const id = await b.start({ limits: { max_cost_usd: 2 } });
  const state = await b.service.run(id, {
    onEvent: (live) => {
      if (live.kind !== "recorded" || live.recorded.event.type !== "action.started") return;
      if (live.recorded.event.action !== "DEVELOP") return;
      void b.service.send(id, { type: "edit", changes: { limits: { max_cost_usd: 10 } } });
    },
  });
  expect(state.status).toBe("completed");
});

test("running totals reach who watches, and do not fill the log", async () => {
  const totals = Array.from({ length: 200 }, (_, i) => ({ use: { input: i } }));
  const develop = write("a.js", "1");
  const b = bench(
    [plan("one"), { ...develop, steps: [...totals, ...develop.steps] }],
    verifierThat("pass"),
  );
  const id = await b.start();
  let seen = 0;
  await b.service.run(id, {
    onEvent: (live) => {
      if (live.kind === "activity" && live.activity.event.type === "usage.updated") seen += 1;
    },
  });
  expect(seen).toBe(200);
  const logged: unknown[] = [];
  for await (const record of b.store.readLog(id)) logged.push(record);
  expect(JSON.stringify(logged)).not.toContain("usage.updated");
});

test("a running turn is on record, so that it counts when its process dies", async () => {
  const b = bench([plan("one"), spends({ input: 900, cost: 0.5 })], verifierThat("pass"));
  const id = await b.start();
  const abort = new AbortController();
  const running = b.service.run(id, { signal: abort.signal });
  await vi.waitFor(async () => {
    expect((await b.service.get(id)).action?.turn).toMatchObject({
      total_tokens: 900,
      cost_usd: 0.5,
    });
  });
  const { state } = await b.store.read(id);
  const at = new Date().toISOString();
  const died = { action: "DEVELOP", reason: "crash", cause: "crash", active_ms: 0 } as const;
  const after = evolve(state, { type: "action.interrupted", at, ...died });
  expect(after.usage).toMatchObject({ turns: 2, total_tokens: 900, cost_usd: 0.5 });
  expect(after.action?.turn).toBeUndefined();
  abort.abort("over");
  const paused = await running;
  expect(paused.usage).toMatchObject({ turns: 2, total_tokens: 900, cost_usd: 0.5 });
  expect(paused.action?.turn).toBeUndefined();
});
