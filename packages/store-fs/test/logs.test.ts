import {
  appendFileSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import type { LoopStore } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import { fsStore } from "../src/index.ts";
import { linesOf } from "../src/journal/lines.ts";
import { faultyDisk, osError, testStore } from "./faults.ts";
import { BY, loopFile, newLoop } from "./loops.ts";
import { makeProject } from "./project.ts";

const LOG = "a.progress/agent.log";

async function begin() {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  return { root, store, path: loopFile(root, LOG) };
}

const recordsOf = async (store: LoopStore) =>
  (await Array.fromAsync(store.readLog("a"))).map(({ record }) => record);

test("records are NDJSON, and what was accepted is there after close", async () => {
  const { store, path } = await begin();
  void store.appendLog("a", [{ n: 1, text: "a\nb" }]);
  await store.appendLog("a", [{ n: 2 }, { n: 3 }]);
  await store.close();
  expect(readFileSync(path, "utf8")).toBe('{"n":1,"text":"a\\nb"}\n{"n":2}\n{"n":3}\n');
});

test("records reach the file without close", async () => {
  const { store, path } = await begin();
  await store.appendLog("a", [1]);
  await vi.waitFor(() => expect(readFileSync(path, "utf8")).toBe("1\n"));
  await store.close();
});

test("a line that a crash cut off swallows nothing", async () => {
  const { root, store, path } = await begin();
  await store.appendLog("a", [{ n: 1 }]);
  await store.close();
  appendFileSync(path, '{"n":2,"te');
  const later = fsStore({ root });
  await later.appendLog("a", [{ n: 3 }]);
  await later.close();
  expect(await recordsOf(later)).toEqual([{ n: 1 }, { n: 3 }]);
});

const block = "x".repeat(1024 * 1024);

test("at 16 MB a new file begins, one older file is kept, and every record keeps its number", async () => {
  const { store, path } = await begin();
  const write = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await store.appendLog("a", [{ n, block }]);
  };
  const read = async (after?: number) =>
    (await Array.fromAsync(store.readLog("a", { after }))).map(({ seq, record, gap }) => {
      return { seq, n: Object(record).n as number, gap };
    });
  await write(0, 25);
  const before = await read();
  await write(25, 40);
  await store.close();
  expect(statSync(path).size).toBeLessThan(22 * 1024 * 1024);
  expect(statSync(`${path}.1`).size).toBeGreaterThan(16 * 1024 * 1024);
  expect(statSync(`${path}.1`).size).toBeLessThan(22 * 1024 * 1024);
  const now = await read();
  expect(now.at(-1)?.n).toBe(39);
  expect(now.map(({ n }) => n)).toEqual(now.map((_, i) => 40 - now.length + i));
  expect(before.length).toBe(25);
  expect(now.slice(0, 25 - 40 + now.length)).toEqual(before.slice(40 - now.length));
  for (const [i, { seq }] of now.entries()) expect(await read(seq)).toEqual(now.slice(i + 1));
  const [first, ...rest] = await read(before[0]?.seq);
  expect(first).toEqual({ ...now[0], gap: true });
  expect(rest).toEqual(now.slice(1));
}, 60_000);

test("a reader that follows loses nothing over rotation and truncation", async () => {
  const { root, store, path } = await begin();
  const stop = new AbortController();
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const { record } of store.readLog("a", { follow: stop.signal })) seen.push(record);
  })();
  const until = (record: unknown) => vi.waitFor(() => expect(seen).toContain(record), 10_000);
  await store.appendLog("a", ["one"]);
  await until("one");
  // The last line before the rotation may be read only after it.
  appendFileSync(path, '"two"\n');
  renameSync(path, `${path}.1`);
  writeFileSync(path, '"three"\n');
  await until("three");
  truncateSync(path);
  await vi.waitFor(() => expect(statSync(path).size).toBe(0));
  await until("three");
  appendFileSync(path, '"4"\n');
  await until("4");
  stop.abort();
  await reading;
  await store.close();
  expect(seen).toEqual(["one", "two", "three", "4"]);
  expect(root).toBeTruthy();
});

test("characters that are cut by a chunk come out whole", async () => {
  const bytes = Buffer.from("ü€😀\nzweite Zeile\nno end");
  for (let size = 1; size <= 7; size++) {
    const chunks = (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })();
    const lines = [];
    for await (const line of linesOf(chunks, 100)) lines.push(line);
    expect(lines).toEqual([
      { text: "ü€😀", start: 100, end: 110 },
      { text: "zweite Zeile", start: 110, end: 123 },
    ]);
  }
});

test("a log that cannot be written is told, and harms nothing else", async () => {
  const root = makeProject();
  const warnings: string[] = [];
  const disk = faultyDisk((call) => {
    if (call.name === "append") throw osError("ENOSPC");
  });
  const store = testStore(root, { disk, warn: (_, message) => warnings.push(message) });
  await store.create(newLoop("a"), BY);
  await store.appendLog("a", [1]);
  await store.close();
  expect(warnings).toEqual([expect.stringContaining("The disk is full")]);
});
