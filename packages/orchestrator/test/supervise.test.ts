import { expect, test, vi } from "vitest";
import { systemClock } from "../src/index.ts";
import { atTurn, atWork, house } from "./supervising.ts";
import { actions, journal } from "./support.ts";

const PATIENCE = { timeout: 10_000, interval: 2 };

test("drives every running loop that nobody drives, the one that stood still longest first", async () => {
  const { agent, open, started, statuses } = house();
  const ids = ["a", "b", "c", "d", "e"];
  await started(...ids);
  const clock = { ...systemClock, now: () => new Date(Date.now() + 1000) };
  await open({ clock }).send("a", { type: "edit", changes: { notes: "moved last" } });
  agent.letGo(...ids);
  // One at a time: of two that are taken at once either may have its lease first.
  const supervisor = atWork(open(), 1);
  await vi.waitFor(
    async () => expect(await statuses(...ids)).toEqual(Array(5).fill("completed")),
    PATIENCE,
  );
  expect(supervisor.taken()).toEqual(["b", "c", "d", "e", "a"]);
});

test("at most so many at once; the next begins when one has ended", async () => {
  const { agent, open, started } = house();
  await started("a", "b", "c");
  atWork(open(), 2);
  await atTurn(agent, "a", "b");
  agent.letGo("a");
  await atTurn(agent, "b", "c");
  expect(agent.most).toBe(2);
});

test("takes up a loop that somebody starts or resumes later, at once", async () => {
  const { agent, open, started } = house();
  const supervisor = atWork(open());
  await started("a");
  await atTurn(agent, "a");
  await open().send("a", { type: "pause" });
  await atTurn(agent);
  await open().send("a", { type: "resume" });
  await atTurn(agent, "a");
  expect(supervisor.taken()).toEqual(["a", "a"]);
});

test("leaves alone what is not running", async () => {
  const { agent, store, open, started, statuses } = house();
  const loops = open();
  await loops.create({ id: "new", description: "x" });
  await started("paused", "stopped", "running");
  await loops.send("paused", { type: "pause" });
  await loops.send("stopped", { type: "stop" });
  const before = (await journal(store, "paused")).length;
  agent.letGo("running");
  const supervisor = atWork(open());
  await vi.waitFor(async () => expect(await statuses("running")).toEqual(["completed"]), PATIENCE);
  expect(await statuses("new", "paused", "stopped")).toEqual(["created", "paused", "failed"]);
  expect(await journal(store, "paused")).toHaveLength(before);
  expect(supervisor.taken()).toEqual(["running"]);
});

test("a pause in the moment before it claims stays a pause", async () => {
  const { agent, store, open, started, statuses } = house();
  await started("a");
  const { claim } = store;
  store.claim = async (...args) => {
    store.claim = claim;
    await open().send("a", { type: "pause" });
    return claim(...args);
  };
  const supervisor = atWork(open());
  await vi.waitFor(
    () => expect(supervisor.notices.map(({ type }) => type)).toContain("loop.given_back"),
    PATIENCE,
  );
  expect(await statuses("a")).toEqual(["paused"]);
  expect(agent.begun).toEqual([]);
});

test("a loop that waits for a person has no owner, and goes on when it is answered", async () => {
  const { agent, store, open } = house();
  const loops = open();
  const settings = { mode: "interactive" as const };
  await loops.create({ id: "a", description: "asks before every action", settings });
  await loops.send("a", { type: "start" });
  agent.letGo("a");
  atWork(open(), 1);
  const waits = async () => {
    await vi.waitFor(async () => {
      expect((await loops.get("a")).waiting?.kind).toBe("input");
      expect(await store.ownerOf("a")).toBeNull();
    }, PATIENCE);
  };
  await waits();
  await loops.send("a", { type: "answer", text: "develop" });
  await vi.waitFor(async () => expect(await actions(store, "a")).toContain("DEVELOP"), PATIENCE);
  await waits();
});

test("a drain ends the turns and gives the loops back running; the next supervisor repeats their actions", async () => {
  const { agent, store, open, started, statuses } = house();
  await started("a", "b", "c");
  const first = atWork(open(), 2);
  await atTurn(agent, "a", "b");
  await first.drain();
  expect(first.notices.at(-1)?.type).toBe("loop.given_back");
  expect(first.notices).toContainEqual({ type: "drain.started", ids: ["a", "b"] });
  expect(agent.live.size).toBe(0);
  expect(await statuses("a", "b", "c")).toEqual(["running", "running", "running"]);
  expect(await Promise.all(["a", "b"].map((id) => store.ownerOf(id)))).toEqual([null, null]);
  expect(await actions(store, "a")).toEqual(["INIT", "DEVELOP(interrupted)"]);
  // Both are claimed at the same time.
  expect(first.taken().toSorted()).toEqual(["a", "b"]);

  agent.letGo("a", "b", "c");
  atWork(open());
  await vi.waitFor(
    async () => expect(await statuses("a", "b", "c")).toEqual(Array(3).fill("completed")),
    PATIENCE,
  );
  expect((await actions(store, "a")).join(" ")).toBe(
    "INIT DEVELOP(interrupted) DEVELOP VALIDATE(pass) COMPLETE",
  );
});

test("a line reaches the turn of a loop that is supervised", async () => {
  const { agent, open, started } = house();
  await started("a");
  const loops = open();
  atWork(loops);
  await atTurn(agent, "a");
  await loops.steer("a", "use the blue one");
  await expect(open().steer("a", "x")).rejects.toMatchObject({ code: "invalid_input" });
});

test.each([0, 1.5, Number.NaN])("refuses to drive %s loops at once", async (concurrency) => {
  const { open } = house();
  const signal = new AbortController().signal;
  await expect(open().supervise({ concurrency, signal })).rejects.toMatchObject({
    code: "invalid_input",
  });
});

test("is ended while it looks through many loops, and while it waits for the list of them", async () => {
  const { store, open, started } = house();
  await started("a", "b", "c", "d");
  const end = new AbortController();
  const read: string[] = [];
  const reading = {
    ...store,
    read: async (id: string) => {
      read.push(id);
      end.abort("enough");
      return store.read(id);
    },
  };
  await open({ store: reading }).supervise({ concurrency: 1, signal: end.signal });
  expect(read).toHaveLength(1);

  const signal = AbortSignal.timeout(50);
  const endless = { ...store, list: () => new Promise<never>(() => {}) };
  await open({ store: endless }).supervise({ concurrency: 1, signal });
});
