/** @module-tag slow */
import type { LoopStore } from "@ccw-loop/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { asOwner, BY, newLoop, newPlace, noted, open, proxyToServer } from "./places.ts";

/** What a watch of a store has told so far. */
function watching(store: LoopStore, id?: string) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const told: string[] = [];
  const ids = store.watch(id, stop.signal);
  const reading = (async () => {
    for await (const one of ids) told.push(one);
  })();
  return { told, stop, reading };
}

test("what another client does is told without notifications", async () => {
  const place = await newPlace();
  const writer = open(place);
  await writer.create(newLoop("a"), BY);
  const reader = open({ ...place, listen: false, pollMs: 20 });
  await reader.read("a");
  const { told, stop, reading } = watching(reader);
  await writer.append("a", 1, [noted("x")], BY);
  await vi.waitFor(() => expect(told).toContain("a"));
  await writer.create(newLoop("b"), BY);
  await vi.waitFor(() => expect(told).toContain("b"));
  const seen = told.length;
  await writer.remove("a");
  await vi.waitFor(() => expect(told.slice(seen)).toContain("a"));
  stop.abort();
  await reading;
});

test("with notifications nobody waits for the next look", async () => {
  const place = await newPlace();
  const writer = open(place);
  const reader = open({ ...place, pollMs: 600_000 });
  await reader.list();
  const { told } = watching(reader);
  await writer.create(newLoop("a"), BY);
  let revision = 1;
  await vi.waitFor(async () => {
    ({ revision } = await writer.append("a", revision, [noted("x")], BY));
    expect(told).toContain("a");
  });
});

test("a transaction that ends after later ones were seen is told all the same", async () => {
  const place = await newPlace();
  const writer = open(place);
  for (const id of ["a", "b"]) await writer.create(newLoop(id), BY);
  const reader = open({ ...place, listen: false, pollMs: 20 });
  await reader.list();
  const slow = await asOwner();
  await slow.query(`BEGIN; UPDATE ${place.schema}.loops SET revision = 2,
    changed = pg_current_xact_id() WHERE id = 'a'`);
  const { told } = watching(reader);
  let seen = 0;
  for (let revision = 1; revision <= 3; revision++) {
    await writer.append("b", revision, [noted("x")], BY);
    await vi.waitFor(() => expect(told.slice(seen)).toContain("b"));
    seen = told.length;
  }
  await slow.query("COMMIT");
  await vi.waitFor(() => expect(told.slice(seen)).toContain("a"));
});

test("what happened while the server could not be reached is told afterwards", async () => {
  const place = await newPlace();
  const proxy = await proxyToServer();
  const writer = open(place);
  await writer.create(newLoop("a"), BY);
  const reader = open({ ...place, url: proxy.url, pollMs: 20 });
  await reader.read("a");
  const { told } = watching(reader);
  proxy.cut();
  await writer.append("a", 1, [noted("x")], BY);
  proxy.open();
  await vi.waitFor(() => expect(told).toContain("a"), 10_000);
});

test("a watch ends when its store is closed", async () => {
  const store = open(await newPlace());
  await store.list();
  const { reading } = watching(store);
  await store.close();
  await reading;
});
