import { readdirSync } from "node:fs";
import { type LoopEvent, LoopState, type LoopStore } from "@ccw-loop/core";
import { fakeClock, memoryStore } from "@ccw-loop/testkit";
import { Webhook as Verifying } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import type { Message } from "../src/index.ts";
import { hook, played, SECRET, sender, service } from "./support/loops.ts";
import { nobody, type Received, receiver } from "./support/receiver.ts";

const at = "2030-01-01T00:00:00.000Z";
const settings = { mode: "auto", flaky_reruns: 0, expect: "unchanged" } as const;
const PATIENCE = { timeout: 10_000, interval: 5 };

const asks = (prompt: string): LoopEvent => ({
  type: "waiting.started",
  at,
  waiting: { kind: "input", since: at, prompt, options: ["yes", "no"] },
});
const fails = (code: string): LoopEvent => ({
  type: "loop.failed",
  at,
  outcome: { code, message: "That was all." },
});

async function running(store: LoopStore, id = "a"): Promise<LoopStore> {
  const times = { created_at: at, updated_at: at };
  const state = { loop_id: id, title: "Fix <the> cart", status: "running", ...times };
  await store.create(LoopState.parse(state), { actor: "test" });
  return store;
}

const messageIn = ({ body }: Received): Message => JSON.parse(body);

describe("a loop that is driven here", () => {
  test("that is proven is told once, signed, with its receipt and what to do next", async () => {
    const there = await receiver();
    const store = memoryStore();
    const sends = sender([hook({ url: there.url })], { store: async () => store });
    const loops = service([sends], store);
    await loops.create({ description: "Add a flag", id: "a", settings });
    const state = await loops.run("a");
    expect(state.outcome?.code).toBe("proven");
    await sends.close();
    expect(there.got).toHaveLength(1);
    const [got] = there.got as [Received];
    const headers = got.headers as Record<string, string>;
    const message = new Verifying(SECRET).verify(got.body, headers) as Message;
    expect(headers["webhook-id"]).toBe(`a.${state.revision}.proven`);
    expect(message).toMatchObject({
      type: "loop.proven",
      data: {
        state: "proven",
        project: "cart",
        loop: { id: "a", title: "Add a flag", status: "completed" },
        text: "Completed and proven",
        asked: null,
        outcome: { code: "proven" },
        receipt: { passed: true, open_objections: 0, counts: { total: 1, passed: 1 } },
      },
    });
    expect(message.data.next).toContain("ccw-loop show a --receipt");
    expect(message.data.receipt?.summary).toBe("passed: npm test, 1 passed, 0 failed");
    expect(() => new Verifying(SECRET).verify(got.body.replace("cart", "card"), headers)).toThrow();
    expect(readdirSync(sends.folder)).toEqual([]);
    expect(sends.said).toEqual([]);
  });

  test("is told of each question, and not twice of one", async () => {
    const there = await receiver();
    const store = await running(memoryStore());
    const sends = sender([hook({ url: there.url })], { store: async () => store });
    await played(sends, store, "a", asks("Which database?"));
    await vi.waitFor(() => expect(there.got).toHaveLength(1), PATIENCE);
    sends.end("a");
    // Somebody drives it again, and nothing has changed.
    const { state, revision } = await store.read("a");
    sends.begin(state, revision);
    sends.end("a");
    await played(
      sends,
      store,
      "a",
      { type: "waiting.ended", at, reason: "answered" },
      asks("Sure?"),
    );
    await sends.close();
    expect(there.got.map((one) => messageIn(one).data.asked)).toEqual([
      { prompt: "Which database?", options: ["yes", "no"] },
      { prompt: "Sure?", options: ["yes", "no"] },
    ]);
    expect(messageIn(there.got[0] as Received).data.next).toEqual(
      expect.arrayContaining(["ccw-loop answer a yes", "ccw-loop answer a no"]),
    );
  });

  test.each([
    ["max_iterations", "limit"],
    ["tasks_failed", "failed"],
  ])("that ends with %s is told as %s, to who wants that", async (code, state) => {
    const [all, some] = [await receiver(), await receiver()];
    const store = await running(memoryStore());
    const hooks = [hook({ url: all.url }), hook({ url: some.url, states: ["failed"] }, {}, "some")];
    const sends = sender(hooks, { store: async () => store });
    await played(sends, store, "a", fails(code));
    await sends.close();
    expect(all.got.map((one) => messageIn(one).data.state)).toEqual([state]);
    expect(some.got).toHaveLength(state === "failed" ? 1 : 0);
  });

  test("is no news when a person stopped it, or answered before the message could be sent", async () => {
    const there = await receiver(503);
    const store = await running(memoryStore());
    const clock = fakeClock({ start: at });
    const sends = sender([hook({ url: there.url })], { store: async () => store, clock });
    await played(sends, store, "a", asks("Which database?"));
    await clock.sleepers();
    await played(sends, store, "a", { type: "loop.stopped", at, reason: "enough" });
    sends.end("a");
    await clock.advance(60_000);
    await vi.waitFor(() => expect(readdirSync(sends.folder)).toEqual([]), PATIENCE);
    expect(there.got).toHaveLength(1);
  });
});

describe("a receiver that does not take it", () => {
  test("is asked again with the same id and a new timestamp, as late as it says", async () => {
    const there = await receiver({ status: 429, headers: { "retry-after": "100" } }, "drop");
    const store = await running(memoryStore());
    const clock = fakeClock({ start: at });
    const sends = sender([hook({ url: there.url })], { store: async () => store, clock });
    await played(sends, store, "a", fails("tasks_failed"));
    await clock.sleepers();
    await clock.advance(99_000);
    expect(there.got).toHaveLength(1);
    await clock.advance(1000);
    await vi.waitFor(() => expect(there.got).toHaveLength(2), PATIENCE);
    await clock.sleepers();
    await clock.advance(10_000);
    await vi.waitFor(() => expect(there.got).toHaveLength(3), PATIENCE);
    await sends.close();
    const headers = (name: string) => there.got.map((one) => one.headers[name]);
    expect(new Set(headers("webhook-id"))).toEqual(new Set(["a.2.failed"]));
    expect(headers("webhook-timestamp").map(Number)).toEqual(
      [0, 100, 110].map((s) => 1893456000 + s),
    );
    expect(sends.said).toEqual([
      expect.stringMatching(/^Webhook team: 127\.0\.0\.1:\d+ answered 429\. /),
      expect.stringMatching(/^Webhook team: 127\.0\.0\.1:\d+ closed the connection\. /),
    ]);
  });

  test("by a redirect is not followed: the secret headers are for nobody else", async () => {
    const elsewhere = await receiver();
    const moved = { status: 307, headers: { location: elsewhere.url } };
    const there = await receiver(moved, moved);
    const store = await running(await running(memoryStore()), "b");
    const headers = { Authorization: { env: "TOKEN" } };
    const sends = sender([hook({ url: there.url, headers }, { TOKEN: "Bearer s3cret" })], {
      store: async () => store,
    });
    await played(sends, store, "a", fails("tasks_failed"));
    await played(sends, store, "b", fails("tasks_failed"));
    await sends.close();
    expect(there.got.map((one) => one.headers.authorization)).toEqual([
      "Bearer s3cret",
      "Bearer s3cret",
    ]);
    expect(elsewhere.got).toEqual([]);
    expect(sends.said).toHaveLength(2);
    expect(sends.said[0]).toContain("answered 307: it redirects, which is not followed.");
    expect(sends.said.join()).not.toContain("s3cret");
    expect(sends.said.join()).not.toContain("/hook");
  });

  test("holds up no loop and not the end of the process, and is told once", async () => {
    const silent = await receiver("hang");
    const hooks = [hook({ url: silent.url }), hook({ url: await nobody() }, {}, "dead")];
    const store = memoryStore();
    const clock = fakeClock({ start: new Date().toISOString() });
    const sends = sender(hooks, { store: async () => store, clock });
    const loops = service([sends], store);
    await loops.create({ description: "Add a flag", id: "a", settings });
    expect((await loops.run("a")).status).toBe("completed");
    await played(sends, await running(store, "b"), "b", fails("tasks_failed"));
    await vi.waitFor(() => expect(silent.got).toHaveLength(1), PATIENCE);
    await vi.waitFor(() => expect(sends.said).toHaveLength(1), PATIENCE);
    const closing = sends.close();
    await clock.advance(5000);
    await closing;
    const [dead, cut, ...left] = sends.said;
    expect(dead).toMatch(/^Webhook dead: 127\.0\.0\.1:\d+ does not listen\./);
    expect(cut).toContain("did not answer before ccw-loop ended");
    expect(left).toEqual([
      expect.stringContaining("Webhook team: 2 messages could not be delivered yet."),
      expect.stringContaining("Webhook dead: 2 messages could not be delivered yet."),
    ]);
    // What is owed stands in files, and no secret does.
    expect(readdirSync(sends.folder)).toHaveLength(2);
  });

  test("for a day is given up", async () => {
    const there = await receiver(...Array<number>(100).fill(500));
    const store = await running(memoryStore());
    const clock = fakeClock({ start: at, auto: true });
    const sends = sender([hook({ url: there.url })], { store: async () => store, clock });
    await played(sends, store, "a", fails("tasks_failed"));
    sends.end("a");
    await vi.waitFor(() => expect(readdirSync(sends.folder)).toEqual([]), PATIENCE);
    expect(there.got.length).toBeGreaterThan(20);
    expect(there.got.length).toBeLessThan(40);
    expect(sends.said.at(-1)).toContain("The message about loop a is given up.");
  });
});
