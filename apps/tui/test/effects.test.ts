import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLoopError, type LiveEvent, LoopError } from "@ccw-loop/core";
import { Batch } from "@ccw-loop/view";
import { expect, onTestFinished, test, vi } from "vitest";
import { LocalDriver, recordStart } from "../src/effects/driving.ts";
import { Effects, performCall, saveIn } from "../src/effects/effects.ts";
import { clipboardSequence } from "../src/effects/terminal.ts";
import type { Message } from "../src/model/model.ts";
import { folder, loopsInMemory } from "./support/place.ts";

test("the clipboard of a terminal gets a text of any characters, inside of tmux too", () => {
  const data = Buffer.from("漢 \x1B[1m").toString("base64");
  expect(clipboardSequence("漢 \x1B[1m", {})).toBe(`\x1B]52;c;${data}\x07`);
  expect(clipboardSequence("漢 \x1B[1m", { TMUX: "/tmp/t,1,0" })).toBe(
    `\x1B]52;c;${data}\x07\x1BPtmux;\x1B\x1B]52;c;${data}\x07\x1B\\`,
  );
});

test("what no terminal would take is refused", () => {
  expect(() => clipboardSequence("x".repeat(60_000), {})).toThrow("Save it to a file instead.");
});

test("a file that is there is never written over, and nothing is written elsewhere", async () => {
  const cwd = join(folder(), "inside");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.log"), "mine");
  await expect(saveIn(cwd, "a.log", "other")).rejects.toThrow("cannot be written");
  expect(await saveIn(cwd, "../../x y.log", "three")).toBe(join(cwd, "..-..-x-y.log"));
  expect(readFileSync(join(cwd, "a.log"), "utf8")).toBe("mine");
});

test("what is saved lies where it is no part of the files that are proven", async () => {
  const cwd = folder();
  const messages: Message[] = [];
  const effects = new Effects({
    service: loopsInMemory(),
    place: { name: cwd, drives: true },
    env: {},
    cwd,
    examine: async () => [],
    suspended: (work) => work(),
    write: () => undefined,
    send: (message) => messages.push(message),
    left: () => undefined,
    now: Date.now,
  });
  effects.perform({ type: "call", call: { name: "save", file: "a.log", text: "x" } });
  await vi.waitFor(() => expect(messages).toHaveLength(1));
  const path = join(cwd, ".workflow", "exports", "a.log");
  expect(messages[0]).toMatchObject({ answer: { ok: true, value: path } });
  expect(readFileSync(path, "utf8")).toBe("x");
});

test("a file that cannot be written is a sentence", async () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  const error: unknown = await saveIn(join(file, "none"), "a", "").catch((e: unknown) => e);
  expect(isLoopError(error, "invalid_input")).toBe(true);
});

test("a refusal is an answer", async () => {
  const service = { steer: () => Promise.reject(new LoopError("invalid_input", "No turn runs.")) };
  const call = { name: "steer", id: "a", text: "x" } as const;
  expect(await performCall(call, { service } as never)).toMatchObject({
    name: "steer",
    call,
    ok: false,
    error: { code: "invalid_input", message: "No turn runs." },
  });
});

const activity = (n: number) =>
  ({ kind: "activity", id: "a", activity: { n } }) as unknown as LiveEvent;
const fact = (n: number) =>
  ({ kind: "recorded", id: "a", recorded: { revision: n } }) as unknown as LiveEvent;

test("a batch keeps every fact and the newest 5,000 pieces of activity, whatever comes", () => {
  const batch = new Batch();
  for (let i = 0; i < 100_000; i++) {
    if (i % 1000 === 0) batch.add(fact(i));
    batch.add(activity(i));
  }
  const { events, leftOut } = batch.take();
  expect(events.filter(({ kind }) => kind === "recorded")).toHaveLength(100);
  expect(events.filter(({ kind }) => kind === "activity")).toHaveLength(5000);
  expect(events.at(-1)).toEqual(activity(99_999));
  expect(leftOut).toBe(95_000);
  expect(batch.take()).toEqual({ events: [], leftOut: 0 });
});

/** Loops whose runs end when the test lets them. */
function held(ending: { status: string; waiting?: object } = { status: "completed" }) {
  const runs: { id: string; signal: AbortSignal; end: () => void; fail: (error: Error) => void }[] =
    [];
  const sent: unknown[] = [];
  const messages: Message[] = [];
  const service = {
    run(id: string, { signal }: { signal?: AbortSignal } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      runs.push({
        id,
        signal: signal as AbortSignal,
        end: () => resolve(ending as never),
        fail: reject,
      });
      signal?.addEventListener("abort", () => resolve(ending as never));
      return promise;
    },
    get: async () => ending as never,
    send: async (id: string, command: { type: string }) => {
      sent.push([id, command.type]);
      if (command.type === "pause") for (const run of runs) run.end();
      return ending as never;
    },
  };
  const driving = new LocalDriver(service, (message) => messages.push(message));
  onTestFinished(() => driving.end("release"));
  const driven = () => messages.findLast((message) => message.type === "driving")?.ids;
  return { driving, service, runs, sent, messages, driven };
}

test("a loop is driven once, however often it is asked for", () => {
  const { driving, runs, driven } = held();
  driving.begin("a");
  driving.begin("a");
  driving.begin("b");
  expect(runs.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(driven()).toEqual(["a", "b"]);
});

test("one that was answered while it came to rest goes on", async () => {
  const { driving, runs, driven } = held({ status: "running" });
  driving.begin("a");
  driving.begin("a");
  runs[0]?.end();
  await vi.waitFor(() => expect(runs).toHaveLength(2));
  runs[1]?.end();
  await vi.waitFor(() => expect(driven()).toEqual([]));
  expect(runs).toHaveLength(2);
});

test("one that is resumed while its run still ends after a pause is on record as such, and goes on", async () => {
  const at = { status: "paused" };
  const { driving, runs, sent } = held(at);
  driving.begin("a");
  driving.begin("a");
  await vi.waitFor(() => expect(sent).toEqual([["a", "resume"]]));
  at.status = "running";
  runs[0]?.end();
  await vi.waitFor(() => expect(runs).toHaveLength(2));
});

test("one that waits for a person is not driven on, however often it was asked for", async () => {
  const { driving, runs, driven } = held({ status: "running", waiting: {} });
  driving.begin("a");
  driving.begin("a");
  runs[0]?.end();
  await vi.waitFor(() => expect(driven()).toEqual([]));
  expect(runs).toHaveLength(1);
});

test("somebody else's loop is told as such", async () => {
  const { driving, runs, messages } = held();
  driving.begin("a");
  runs[0]?.fail(new LoopError("loop_busy", "Loop a is driven by cli:there:1."));
  await vi.waitFor(() =>
    expect(messages).toContainEqual({
      type: "told",
      notice: { tone: "warning", text: "Loop a is driven by cli:there:1." },
    }),
  );
});

test("leaving pauses, or releases, and awaits the end of every run", async () => {
  const pausing = held();
  pausing.driving.begin("a");
  await pausing.driving.end("pause");
  expect(pausing.sent).toEqual([["a", "pause"]]);
  expect(pausing.runs[0]?.signal.aborted).toBe(false);
  const releasing = held();
  releasing.driving.begin("a");
  await releasing.driving.end("release");
  expect(releasing.sent).toEqual([]);
  expect(releasing.runs[0]?.signal.aborted).toBe(true);
  releasing.driving.begin("b");
  expect(releasing.runs).toHaveLength(1);
});

test.each([
  ["created", [["a", "start"]]],
  ["paused", [["a", "resume"]]],
  ["running", []],
])(
  "elsewhere a loop that is %s is asked for, and its server drives it",
  async (status, expected) => {
    const { service, sent, runs } = held({ status });
    await recordStart(service, "a", () => undefined);
    expect(sent).toEqual(expected);
    expect(runs).toEqual([]);
  },
);
