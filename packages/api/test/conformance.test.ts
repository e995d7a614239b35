import { readFileSync } from "node:fs";
import { memoryStore } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { DIFFERENCES } from "./conformance/differences.ts";
import { differencesDocument } from "./conformance/document.ts";
import { ENDS } from "./conformance/ends.ts";
import type { Exchange, Step } from "./conformance/exchange.ts";
import { LOOPS } from "./conformance/loops.ts";
import { replay, without } from "./conformance/replay.ts";
import { TASKS } from "./conformance/tasks.ts";
import { type Bench, bench } from "./support.ts";

const STEPS: readonly Step[] = [...LOOPS, ...TASKS, ...ENDS];
const EXCHANGES = STEPS.filter((step): step is Exchange => "request" in step);

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const FILES = {
  ".workflow/issues/issues.jsonl": line({ id: "ISS-1" }) + line({ id: "ISS-2" }),
  ".workflow/issues/solutions/ISS-1.jsonl": line({
    id: "SOL-1",
    is_bound: true,
    tasks: [
      { title: "T A", tool: "ai", mode: "read", on_error: "stop" },
      { title: "T B", tool: "codex", mode: "modify", command: "make", on_error: "abort" },
      { title: "T C", tool: "zzz", mode: "create" },
    ],
  }),
};

function olderClientsBench(): Bench {
  const tasks = [{ description: "Write tests" }, { description: "No tool" }];
  return bench({
    files: FILES,
    store: () => memoryStore(),
    clock: ticking(),
    options: { allowBashTasks: true },
    turns: [
      { action: "INIT", when: "Loop: big", answer: { state_updates: { tasks } } },
      { when: "Loop: frac", answer: "I would rather not." },
    ],
  });
}

/** A clock on which no two moments are the same, so that lists have one order. */
function ticking() {
  let at = Date.parse("2026-01-22T10:00:00.000Z");
  return {
    now() {
      at += 1;
      return new Date(at);
    },
    monotonic: () => at,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve())),
  };
}

test("each recorded exchange is answered alike, or differs as the table says", async () => {
  const replayed = await replay(STEPS, olderClientsBench().ask);
  expect(replayed).toHaveLength(EXCHANGES.length);
  for (const { exchange, status, answer } of replayed) {
    const { name, differs } = exchange;
    const ours = { status, answer: without(answer, exchange.answer) };
    const recorded = { status: exchange.status, answer: exchange.answer };
    if (differs === undefined) expect(ours, name).toEqual(recorded);
    else {
      expect(ours, `${name} is listed as a difference and is none`).not.toEqual(recorded);
      expect(status, name).toBe(differs.status);
      if (differs.answer) expect(answer, name).toMatchObject(differs.answer);
      if (status !== 200)
        expect(answer, name).toMatchObject({ success: false, error: expect.stringMatching(/./) });
    }
  }
});

describe("the table of differences", () => {
  test("has a row for each difference, and none without", () => {
    const used = EXCHANGES.flatMap(({ differs }) => (differs ? [differs.because] : []));
    expect(new Set(used)).toEqual(new Set(Object.keys(DIFFERENCES)));
  });

  test("is docs/api-differences.md; run scripts/api-differences.ts --write when not", () => {
    const file = new URL("../../../docs/api-differences.md", import.meta.url);
    expect(readFileSync(file, "utf8")).toBe(differencesDocument());
  });
});

test("exchanges have names of their own", () => {
  const names = EXCHANGES.map(({ name }) => name);
  expect(names.length).toBe(new Set(names).size);
  expect(names.length).toBeGreaterThan(100);
});
