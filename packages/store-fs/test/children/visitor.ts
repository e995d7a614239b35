/**
 * Works with every loop of a project, as operators and a supervisor do: `visitor.ts ROOT`. Says each step before it is
 * taken, so that whoever waits knows which one hangs, and then what came of it. The loop `good` is worked with in between.
 */
import { isLoopError, type LoopEvent, type LoopStore } from "@ccw-loop/core";
import { fsStore } from "../../src/index.ts";

const [root = ""] = process.argv.slice(2);
const at = "2026-01-22T10:00:00.000Z";
const BY = { actor: "visitor" };
const noted: LoopEvent = { type: "loop.edited", at, changes: { notes: "visited" } };

async function step(id: string, name: string, work: () => Promise<unknown>): Promise<void> {
  process.send?.({ id, name });
  const began = performance.now();
  const message = await work().then(
    () => null,
    (error: unknown) => (isLoopError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
  process.send?.({ id, name, message, ms: Math.round(performance.now() - began) });
}

async function all(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}

async function change(store: LoopStore, id: string): Promise<void> {
  const { revision } = await store.read(id);
  await store.append(id, revision, [noted], BY);
}

async function drive(store: LoopStore, id: string): Promise<void> {
  const lease = await store.claim(id, "visitor", 60_000);
  await store.renew(lease);
  await store.release(lease);
}

async function visit(store: LoopStore, id: string): Promise<void> {
  await step(id, "read", () => store.read(id));
  await step(id, "owner", () => store.ownerOf(id));
  await step(id, "events", () => all(store.events(id)));
  await step(id, "log", () => all(store.readLog(id)));
  await step(id, "append log", () => store.appendLog(id, [{ n: 3 }]));
  await step(id, "change", () => change(store, id));
  await step(id, "drive", () => drive(store, id));
}

const store = fsStore({ root, durability: "process" });
await step("", "list", () => store.list());
const { loops, damaged } = await store.list({ limit: 1000 });
const ids = [...loops.map(({ state }) => state.loop_id), ...damaged.map(({ id }) => id)];
process.send?.({ id: "", name: "found", ids });
for (const id of ids) {
  await visit(store, id);
  await step("good", "change", () => change(store, "good"));
}
for (const id of ids) {
  await step(id, "plan", () => store.recover(id, { dryRun: true, at }));
  await step(id, "recover", () => store.recover(id, { dryRun: false, at }));
}
await store.close();
const next = fsStore({ root, durability: "process" });
for (const id of ids) {
  await step(id, "read again", () => next.read(id));
  await step(id, "change again", () => change(next, id));
  await step(id, "drive again", () => drive(next, id));
  await step(id, "events again", () => all(next.events(id)));
}
await step("", "list again", () => next.list());
await next.close();
process.send?.({ id: "", name: "done" });
