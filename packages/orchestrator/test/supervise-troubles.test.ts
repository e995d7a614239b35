import { LoopError } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import type { LoopServiceOptions } from "../src/index.ts";
import { atTurn, atWork, house } from "./supervising.ts";
import { actions } from "./support.ts";

const PATIENCE = { timeout: 15_000, interval: 5 };

test("a loop that fails unexpectedly neither stops the others nor stays behind", async () => {
  const { agent, open, started, statuses } = house();
  await started("a", "b");
  agent.fail("a", new TypeError("x is not a function"));
  const supervisor = atWork(open(), 1);
  await atTurn(agent, "b");
  expect(await statuses("a")).toEqual(["running"]);
  expect(supervisor.notices).toContainEqual(
    expect.objectContaining({ type: "loop.put_off", id: "a" }),
  );
  agent.letGo("a", "b");
  await vi.waitFor(
    async () => expect(await statuses("a", "b")).toEqual(["completed", "completed"]),
    PATIENCE,
  );
});

test("a loop whose agent is not registered here is left as it is, for a supervisor that has it", async () => {
  const { agent, open, started, statuses } = house();
  await started("a", "b");
  const changes = { settings: { agent: "/own/agent.js" } };
  await open().send("b", { type: "edit", changes });
  const unknown = new LoopError("agent_unavailable", "Name it again.");
  const registry: LoopServiceOptions["agent"] = async ({ agent: name }) => {
    if (name !== undefined) throw unknown;
    return agent;
  };
  const without = atWork(open({ agent: registry }));
  await atTurn(agent, "a");
  const putOff = expect.objectContaining({ type: "loop.put_off", id: "b", error: unknown });
  await vi.waitFor(() => expect(without.notices).toContainEqual(putOff), PATIENCE);
  expect(await statuses("b")).toEqual(["running"]);
  expect(without.taken()).toEqual(["a"]);
  atWork(open());
  await atTurn(agent, "a", "b");
  agent.letGo("a", "b");
  const done = async () => expect(await statuses("a", "b")).toEqual(["completed", "completed"]);
  await vi.waitFor(done, PATIENCE);
});

test("the same trouble of a loop is told once, however often it comes", async () => {
  const { store, open, started } = house();
  const ids = Array.from({ length: 30 }, (_, n) => `loop-${n}`);
  await started(...ids);
  let tries = 0;
  store.claim = async (id) => {
    tries += 1;
    throw new LoopError("store_unavailable", `Loop ${id}: no space left on the device.`);
  };
  const supervisor = atWork(open());
  await vi.waitFor(() => expect(tries).toBeGreaterThanOrEqual(60), PATIENCE);
  const told = supervisor.notices.filter((notice) => notice.type === "loop.put_off");
  expect(told.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect(supervisor.taken()).toEqual([]);
});

test("what cannot be listed or watched for a while is found later", async () => {
  const { agent, store, open, started } = house();
  await started("a");
  const { list, watch } = store;
  let listings = 0;
  store.list = async (query) => {
    listings += 1;
    if (listings === 1) throw new LoopError("store_unavailable", "The disk does not answer.");
    return list(query);
  };
  let watches = 0;
  store.watch = (id, signal) => {
    watches += 1;
    if (watches === 1) throw new LoopError("store_unavailable", "Too many watches.");
    return watch(id, signal);
  };
  const supervisor = atWork(open());
  await atTurn(agent, "a");
  expect(supervisor.notices.filter(({ type }) => type === "store.failed")).not.toEqual([]);
  await started("b");
  await atTurn(agent, "a", "b");
});

test("a loop that another process drives is left to it, and taken up when that process is gone", async () => {
  const { agent, store, open, started } = house();
  await started("a");
  const lease = await store.claim("a", "another process", 60_000);
  const supervisor = atWork(open());
  await started("b");
  await atTurn(agent, "b");
  expect(supervisor.taken()).toEqual(["b"]);
  await store.release(lease);
  await atTurn(agent, "a", "b");
  expect(supervisor.notices.map(({ type }) => type)).toEqual(["loop.taken", "loop.taken"]);
});

test("two supervisors and a run on the same loops: every loop is driven once", async () => {
  const { agent, store, open, started, statuses } = house();
  const ids = Array.from({ length: 8 }, (_, n) => `loop-${n}`);
  await started(...ids);
  const supervisors = [atWork(open(), 2), atWork(open(), 2)];
  const runs = ids.map((id) =>
    open()
      .run(id)
      .catch((error: LoopError) => error.code),
  );
  agent.letGo(...ids);
  await vi.waitFor(
    async () => expect(await statuses(...ids)).toEqual(Array(8).fill("completed")),
    PATIENCE,
  );
  await Promise.all(runs);
  await Promise.all(supervisors.map(({ drain }) => drain()));
  for (const id of ids) {
    expect(await actions(store, id)).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
  }
  expect(agent.begun.filter((turn) => turn.endsWith("DEVELOP"))).toHaveLength(8);
});

test("an owner that lost its lease ends its turn and records nothing more", async () => {
  const { agent, store, open, started } = house({ leaseTtlMs: 1000 });
  await started("a");
  const supervisor = atWork(open());
  await atTurn(agent, "a");
  const { renew } = store;
  store.renew = async () => Promise.reject(new Error("suspended"));
  const lease = await vi.waitFor(() => store.claim("a", "another", 60_000), PATIENCE);
  store.renew = renew;
  await vi.waitFor(
    () => expect(supervisor.notices).toContainEqual({ type: "loop.lost", id: "a" }),
    PATIENCE,
  );
  expect(agent.live.size).toBe(0);
  expect(await actions(store, "a")).toEqual(["INIT"]);
  expect(await store.ownerOf("a")).toBe(lease.owner);
});
