import { describe, expect, it, test } from "vitest";
import { DEFAULT_CODEX_LIMITS } from "../../src/options.ts";
import {
  type AgentMessage,
  type Item,
  type Notification,
  readNotification,
} from "../../src/protocol.ts";
import { eventsOf } from "../../src/turn/turn-events.ts";
import { finalMessage, TurnRecord } from "../../src/turn/turn-record.ts";
import { Meter } from "../../src/turn/usage.ts";

const said = (text: string, phase: string | null = null): AgentMessage => ({
  type: "agentMessage",
  id: text,
  text,
  phase,
});

describe("the final message", () => {
  const tool: Item = { type: "other", id: "r", kind: "reasoning" };
  test.each<[string, Item[], AgentMessage[], string]>([
    ["what the turn lists", [said("a", "final_answer")], [said("x")], "a"],
    ["the last one", [said("a"), said("b")], [], "b"],
    ["a marked one before a later unmarked one", [said("a", "final_answer"), said("b")], [], "a"],
    ["never commentary", [said("a", "commentary")], [said("a", "commentary")], ""],
    ["what was heard, when the turn lists none", [tool], [said("x", "commentary"), said("y")], "y"],
    ["nothing, when nothing was said", [], [], ""],
  ])("is %s", (_, items, told, text) => {
    expect(finalMessage(items, told)).toBe(text);
  });
});

describe("usage", () => {
  const totals = (n: number) => ({
    ...{ totalTokens: n * 12, inputTokens: n * 10, cachedInputTokens: n, outputTokens: n * 2 },
  });
  const read = (total: number, last: number) => ({ total: totals(total), last: totals(last) });
  const none = totals(0);

  it("is the difference of Codex's totals, however often it repeats them", () => {
    const meter = new Meter(false);
    meter.turnStarted();
    for (const [total, last] of [
      [1, 1],
      [1, 1],
      [3, 2],
    ] as const) {
      meter.read(read(total, last), true);
    }
    expect(meter.usedSince(none)).toEqual({
      ...{ input_tokens: 30, cached_input_tokens: 3, output_tokens: 6, total_tokens: 36 },
    });
  });

  it("of a resumed conversation begins where the conversation stood", () => {
    const meter = new Meter(true);
    meter.read(read(50, 1), false);
    const { spent } = meter;
    meter.turnStarted();
    meter.read(read(52, 2), true);
    expect(meter.usedSince(spent)?.total_tokens).toBe(24);
  });

  it("of a resumed conversation that told nothing is what the last request used", () => {
    const meter = new Meter(true);
    meter.turnStarted();
    meter.read(read(52, 2), true);
    expect(meter.usedSince(none)?.total_tokens).toBe(24);
  });

  it("counts a turn that was taken back, and what came instead", () => {
    const meter = new Meter(false);
    meter.turnStarted();
    meter.read(read(5, 5), true);
    meter.turnReverted();
    meter.turnStarted();
    meter.read(read(5, 5), true);
    expect(meter.usedSince(none)?.total_tokens).toBe(120);
  });

  it("counts the tokens of a process that died before it told them", () => {
    const meter = new Meter(false);
    meter.turnStarted();
    meter.read(read(5, 5), true);
    meter.read(read(7, 2), false);
    meter.turnStarted();
    meter.read(read(8, 1), true);
    expect(meter.usedSince(none)?.total_tokens).toBe(96);
  });

  it("is unknown when Codex tells nothing", () => {
    const meter = new Meter(false);
    meter.turnStarted();
    expect(meter.usedSince(none)).toBeNull();
  });
});

const ofTurn = { threadId: "t", turnId: "1" };
const command = (more: object) => ({
  ...{ type: "commandExecution", id: "c", command: "bash -lc 'make'", status: "completed" },
  ...more,
});
const heard = (method: string, params: object): Notification =>
  readNotification(method, { ...ofTurn, ...params });
const STARTED = heard("turn/started", { turn: { id: "1" } });
const RETRYING = (status: number) =>
  heard("error", {
    willRetry: true,
    error: {
      message: "Reconnecting... 1/5",
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: status } },
    },
  });

/** The record of a turn that heard these, one per second. */
function after(...notes: Notification[]): TurnRecord {
  const record = new TurnRecord(0);
  for (const [i, note] of [STARTED, ...notes].entries()) record.observe(note, i * 1000);
  return record;
}

describe("the record of a turn", () => {
  it("knows a tool that is at work, and that work was done", () => {
    const begun = after(heard("item/started", { item: command({ status: "inProgress" }) }));
    expect(begun).toMatchObject({ tools: new Set(["c"]), hadSideEffects: false });
    const done = after(heard("item/completed", { item: command({ exitCode: 0 }) }));
    expect(done).toMatchObject({ tools: new Set(), hadSideEffects: true, ranCommands: true });
  });

  it("takes messages and reasoning for no work", () => {
    const talk = heard("item/completed", { item: said("hello") });
    const thought = heard("item/completed", { item: { type: "reasoning", id: "r" } });
    expect(after(talk, thought)).toMatchObject({
      hadSideEffects: false,
      messages: [{ text: "hello" }],
    });
  });

  it("ignores other turns, but hears that Codex is alive", () => {
    const foreign = heard("item/completed", { turnId: "2", item: command({ exitCode: 0 }) });
    const ended = heard("turn/completed", { turn: { id: "2", status: "completed" } });
    const record = after(foreign, ended);
    expect(record).toMatchObject({ hadSideEffects: false, end: null, lastNotificationAt: 2000 });
  });

  it("remembers since when Codex reconnects, until something comes", () => {
    expect(after(RETRYING(500), RETRYING(500)).retriedError?.since).toBe(1000);
    for (const progress of [
      heard("item/agentMessage/delta", { itemId: "m", delta: "a" }),
      heard("item/started", { item: command({ status: "inProgress" }) }),
      heard("item/completed", { item: said("hello") }),
    ]) {
      expect(after(RETRYING(500), progress).retriedError).toBeNull();
    }
  });

  it("notices a sandbox that cannot start", () => {
    const output = { aggregatedOutput: "bwrap: No permissions\n", exitCode: 1 };
    const broken = after(heard("item/completed", { item: command(output) }));
    expect(broken.brokenSandbox).toBe("bwrap: No permissions");
    const talked = { aggregatedOutput: "bwrap: fine", exitCode: 0 };
    expect(after(heard("item/completed", { item: command(talked) })).brokenSandbox).toBeNull();
  });
});

describe("the watchdog", () => {
  const limits = {
    ...DEFAULT_CODEX_LIMITS,
    ...{ silenceMs: 10_000, commandMs: 20_000, networkMs: 5_000 },
  };
  const atWork = heard("item/started", { item: command({}) });
  const toolDone = heard("item/completed", { item: command({ exitCode: 0 }) });
  const sandboxGone = heard("item/completed", {
    item: command({ aggregatedOutput: "bwrap: no", exitCode: 1 }),
  });

  test.each<[string, TurnRecord, number, string | undefined]>([
    ["nothing yet", after(), 9_000, undefined],
    ["silence", after(), 11_000, "silence"],
    ["a notification two seconds ago", after(atWork, toolDone), 11_000, undefined],
    ["silence since the last notification", after(atWork, toolDone), 13_000, "silence"],
    ["silence while a command works", after(atWork), 20_000, undefined],
    ["too long a command", after(atWork), 22_000, "command"],
    ["reconnecting for a while", after(RETRYING(500)), 5_000, undefined],
    ["reconnecting in vain", after(RETRYING(500)), 7_000, "network"],
    ["waiting for a rate limit", after(RETRYING(429)), 7_000, "rate_limit_wait"],
    ["a refused login, at once", after(RETRYING(401)), 1_000, "auth"],
    ["a broken sandbox, at once", after(sandboxGone), 1_000, "sandbox"],
  ])("%s", (_, record, now, kind) => {
    expect(record.exceededLimit(now, limits, "workspace-write")?.kind).toBe(kind);
  });

  it("expects no sandbox where none was asked for", () => {
    expect(after(sandboxGone).exceededLimit(1_000, limits, "danger-full-access")).toBeNull();
  });
});

describe("what people are told", () => {
  const context = { cwd: "/project", streamed: new Set<string>() };
  const change = (path: string, move_path: string | null = null) => ({ path, kind: { move_path } });

  test.each<[string, Notification, object[]]>([
    [
      "output that was not told while it came",
      heard("item/completed", { item: command({ aggregatedOutput: "hi", exitCode: 2 }) }),
      [
        { type: "command.output", text: "hi" },
        { type: "command.completed", command: "make", exit_code: 2 },
      ],
    ],
    [
      "changed files, relative to the project, moved ones twice",
      heard("item/completed", {
        item: {
          ...{ type: "fileChange", id: "f", status: "completed" },
          changes: [change("/project/a.ts"), change("/project/b.ts", "/elsewhere/b.ts")],
        },
      }),
      [{ type: "files.changed", paths: ["a.ts", "b.ts", "/elsewhere/b.ts"] }],
    ],
    [
      "no files of an edit that failed",
      heard("item/completed", {
        item: { type: "fileChange", id: "f", status: "failed", changes: [change("/project/a")] },
      }),
      [],
    ],
    [
      "a compacted context",
      heard("item/completed", { item: { type: "contextCompaction", id: "x" } }),
      [{ type: "context.compacted" }],
    ],
    [
      "that Codex reconnects",
      RETRYING(500),
      [{ type: "warning.raised", message: "Codex: Reconnecting... 1/5" }],
    ],
    ["nothing of what is not known", heard("thread/name/updated", {}), []],
    [
      "nothing about a bubblewrap that is bundled",
      heard("configWarning", { summary: "Codex could not find bubblewrap on PATH. Install it." }),
      [],
    ],
    [
      "other warnings about settings",
      heard("configWarning", { summary: "Ignored.", details: "line 3" }),
      [{ type: "warning.raised", message: "Ignored. line 3" }],
    ],
  ])("%s", (_, note, events) => {
    expect(eventsOf(note, context)).toEqual(events);
  });

  it("output is not told twice", () => {
    const note = heard("item/completed", { item: command({ aggregatedOutput: "hi" }) });
    const types = eventsOf(note, { ...context, streamed: new Set(["c"]) }).map((e) => e.type);
    expect(types).toEqual(["command.completed"]);
  });

  it("a shape that we cannot read is a warning, not a crash", () => {
    const [event] = eventsOf(readNotification("turn/completed", { turn: 3 }), context);
    expect(event).toMatchObject({
      type: "warning.raised",
      message: expect.stringContaining("turn/completed"),
    });
  });
});
