/** @module-tag slow */
import { once } from "node:events";
import { expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { messageOf, startChild } from "./child.ts";
import { BY, codeOf, eventsOf, loopFile, newLoop, readJson } from "./loops.ts";
import { makeProject } from "./project.ts";

const WRITERS = 4;
const TIMES = 500;

test(`${WRITERS} processes change one loop ${WRITERS * TIMES} times: nothing is lost and nobody reads half a file`, async () => {
  const root = makeProject();
  const store = fsStore({ root, durability: "process" });
  await store.create(newLoop("a"), BY);
  const path = loopFile(root, "a.json");
  const readers = [startChild("plain-reader", path), startChild("plain-reader", path)];
  const writers = Array.from({ length: WRITERS }, () => startChild("counter", root, String(TIMES)));
  await Promise.all(writers.map((writer) => messageOf(writer)));

  const results = readers.map((reader) =>
    messageOf<{ reads: number; newest: number; problems: string[] }>(reader),
  );
  for (const reader of readers) reader.send("stop");
  for (const { reads, newest, problems } of await Promise.all(results)) {
    expect(problems).toEqual([]);
    expect(reads).toBeGreaterThan(100);
    expect(newest).toBeGreaterThan(1);
  }

  const { state, revision } = await store.read("a");
  expect(state.notes).toBe(String(WRITERS * TIMES));
  expect(revision).toBe(WRITERS * TIMES + 1);
  expect(readJson(path)).toEqual(state);
  const events = await eventsOf(store, "a");
  expect(events.map((one) => one.revision)).toEqual(
    Array.from({ length: revision }, (_, i) => i + 1),
  );
  await store.close();
}, 120_000);

test("a process that is killed while it commits loses nothing that was acknowledged", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  await store.close();
  for (let kill = 0; kill < 5; kill++) {
    const child = startChild("sayer", root);
    let said = "";
    child.stdout?.setEncoding("utf8");
    const enough = 5 + kill * 7;
    await new Promise<void>((resolve) => {
      child.stdout?.on("data", (text: string) => {
        said += text;
        if (said.split("\n").length > enough) resolve();
      });
    });
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
    const acknowledged = Number(said.trimEnd().split("\n").at(-1));
    const later = fsStore({ root });
    const { state, revision } = await later.read("a");
    expect(Number(state.notes)).toBeGreaterThanOrEqual(acknowledged);
    expect(Number(state.notes)).toBeLessThanOrEqual(acknowledged + 1);
    expect((await eventsOf(later, "a")).at(-1)?.revision).toBe(revision);
    await later.close();
    expect(readJson(loopFile(root, "a.json"))).toEqual(state);
  }
}, 60_000);

test("a lease is free as soon as its owner was killed", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  const child = startChild("owner", root);
  await messageOf(child);
  expect(await store.ownerOf("a")).toBe("child");
  expect(await codeOf(store.claim("a", "me", 1000))).toBe("loop_busy");
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  expect(await store.ownerOf("a")).toBeNull();
  expect((await store.claim("a", "me", 1000)).epoch).toBe(2);
  await store.close();
});
