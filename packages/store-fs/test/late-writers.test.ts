import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ExternalDocument } from "../src/external-edits/import-document.ts";
import { lateWriters } from "../src/publish/late-writers.ts";
import { nodeRuntime } from "../src/runtime.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function watched() {
  const found: string[] = [];
  const synced: string[] = [];
  let open = 0;
  const take = async (_: string, { text }: ExternalDocument) => void found.push(text);
  const late = lateWriters(nodeRuntime, take, async (id) => void synced.push(id));
  const document = (id: string, text: string, unfinished: boolean) => {
    const file = { text };
    open += 1;
    const displaced = {
      instance: id,
      written: () => 0,
      bytes: () => Buffer.from(file.text),
      close() {
        open -= 1;
      },
    };
    late.watch(id, displaced, text, unfinished);
    return file;
  };
  return { late, document, found, synced, open: () => open };
}

const THEIRS = '{"title":"Theirs"}';

test("what is written within a second into a document that was replaced is taken in", async () => {
  const { document, found, open } = watched();
  const file = document("a", "{}", false);
  await pass(900);
  file.text = THEIRS;
  await pass(200);
  expect(found).toEqual([THEIRS]);
  expect(open()).toBe(0);
});

test("one that somebody had emptied to write it is looked after for a minute, however many are replaced", async () => {
  const { document, found, synced, open } = watched();
  const file = document("a", "", true);
  for (let n = 0; n < 1000; n += 1) {
    document("b", "{}", false);
    await pass(20);
  }
  expect(open()).toBeLessThanOrEqual(33);
  expect(synced.filter((id) => id === "a")).toHaveLength(1);
  file.text = THEIRS;
  await pass(2000);
  expect(found).toEqual([THEIRS]);
  expect(open()).toBe(0);
});

test("one that stays empty is let go of", async () => {
  const { late, document, found, open } = watched();
  document("a", "", true);
  await pass(62_000);
  expect(open()).toBe(0);
  const last = document("b", "", true);
  last.text = THEIRS;
  await late.close();
  expect(found).toEqual([THEIRS]);
});
