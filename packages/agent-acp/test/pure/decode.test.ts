import type { TurnEvent } from "@ccw-loop/core";
import { describe, expect, it, test } from "vitest";
import { PROFILES, type ProfileName } from "../../src/index.ts";
import { CommandOutput } from "../../src/turn/command-output.ts";
import { TurnDecoder } from "../../src/turn/decode.ts";

const cwd = "/project";
const content = (text: string) => [{ type: "content", content: { type: "text", text } }];
const tool = (more: object) => ({ sessionUpdate: "tool_call", toolCallId: "t", ...more });
const step = (more: object) => ({ sessionUpdate: "tool_call_update", toolCallId: "t", ...more });
const chunk = (text: string, more: object = {}) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...more,
});

/** Everything that the frames of a whole turn tell, pieces of messages left out. */
function told(name: ProfileName, ...frames: object[]): TurnEvent[] {
  const decoder = new TurnDecoder(cwd, PROFILES[name]);
  const events = frames.flatMap((frame) => decoder.update(frame));
  return [...events, ...decoder.end()].filter(({ type }) => type !== "message.delta");
}

/** The same command, as each agent tells it: what it printed, and that it ended with 3. */
const COMMANDS: [ProfileName, object[], TurnEvent[]][] = [
  [
    "gemini",
    [step({ kind: "execute", title: "x; exit 3", status: "completed", content: [] })],
    [
      { type: "command.started", command: "x; exit 3" },
      { type: "command.completed", command: "x; exit 3", exit_code: null },
    ],
  ],
  [
    "qwen",
    [
      tool({ kind: "execute", title: "Shell", rawInput: { command: "x; exit 3" } }),
      step({ status: "failed", content: content("Output: out\nExit Code: 3") }),
    ],
    [
      { type: "command.started", command: "x; exit 3" },
      { type: "command.output", text: "Output: out\nExit Code: 3" },
      { type: "command.completed", command: "x; exit 3", exit_code: 3 },
    ],
  ],
  [
    "opencode",
    [
      tool({ kind: "execute", title: "bash", status: "pending", rawInput: {} }),
      step({ kind: "execute", status: "in_progress", rawInput: { command: "x; exit 3" } }),
      step({ status: "in_progress", content: content("o") }),
      step({ status: "in_progress", content: content("out\ne") }),
      step({
        status: "completed",
        content: content("out\nerr\n"),
        rawOutput: { output: "out\nerr\n", metadata: { exit: 3 } },
      }),
    ],
    [
      { type: "command.started", command: "x; exit 3" },
      { type: "command.output", text: "o" },
      { type: "command.output", text: "ut\ne" },
      { type: "command.output", text: "rr\n" },
      { type: "command.completed", command: "x; exit 3", exit_code: 3 },
    ],
  ],
  [
    "claude",
    [
      tool({ kind: "execute", title: "Terminal", status: "pending", rawInput: {} }),
      step({ kind: "execute", title: "x", rawInput: { command: "x; exit 3" } }),
      step({
        status: "failed",
        content: content("```console\nout\n```"),
        rawOutput: "Exit code 3\nout",
      }),
    ],
    [
      { type: "command.started", command: "x; exit 3" },
      { type: "command.output", text: "out" },
      { type: "command.completed", command: "x; exit 3", exit_code: 3 },
    ],
  ],
  [
    // To a client that takes pieces of the output; `terminal_exit` says 1 for every failure.
    "claude",
    [
      tool({ kind: "execute", title: "Terminal", status: "pending" }),
      step({ title: "x; exit 3", rawInput: { command: "x; exit 3" } }),
      step({ _meta: { terminal_output_delta: { data: "Exit code 3\nout" } } }),
      step({ status: "failed", _meta: { terminal_exit: { exit_code: 1, signal: null } } }),
    ],
    [
      { type: "command.started", command: "x; exit 3" },
      { type: "command.output", text: "Exit code 3\nout" },
      { type: "command.completed", command: "x; exit 3", exit_code: 3 },
    ],
  ],
  [
    "codex-acp",
    [
      tool({
        kind: "execute",
        title: "x",
        rawInput: { command: ["/bin/bash", "-lc", "x; exit 3"] },
      }),
      step({ _meta: { terminal_output_delta: { data: "out\n" } } }),
      step({
        status: "completed",
        content: content("out\nerr\n"),
        _meta: { terminal_exit: { exit_code: 3 } },
      }),
    ],
    [
      { type: "command.started", command: "x; exit 3" },
      { type: "command.output", text: "out\n" },
      { type: "command.output", text: "err\n" },
      { type: "command.completed", command: "x; exit 3", exit_code: 3 },
    ],
  ],
  [
    "copilot",
    [
      tool({ kind: "execute", title: "Run x", rawInput: { command: "x; exit 3" } }),
      step({
        status: "completed",
        content: content("out\n"),
        rawOutput: { contents: [{ type: "text" }, { type: "shell_exit", exitCode: 3 }] },
      }),
    ],
    [
      { type: "command.started", command: "x; exit 3" },
      { type: "command.output", text: "out\n" },
      { type: "command.completed", command: "x; exit 3", exit_code: 3 },
    ],
  ],
];

test.each(COMMANDS)("a command of %s", (name, frames, events) => {
  expect(told(name, ...frames)).toEqual(events);
});

describe("a tool call", () => {
  it("never has an exit code that nobody told: completed is not 0", () => {
    const frame = tool({ kind: "execute", rawInput: { command: "x" }, status: "completed" });
    expect(told("opencode", frame).at(-1)).toMatchObject({ exit_code: null });
    const printed = { content: content("exit code: 0"), status: "completed" };
    const silent = tool({ kind: "execute", rawInput: { command: "x" }, ...printed });
    expect(told("gemini", silent).at(-1)).toMatchObject({ exit_code: null });
  });

  it("that edits names its files, relative to the project where they are in it", () => {
    const diff = (path: string) => ({ type: "diff", path, oldText: "", newText: "x" });
    const edit = {
      kind: "edit",
      content: [diff("/project/a/b.ts")],
      locations: [{ path: "c.ts" }],
    };
    const paths = ["a/b.ts", "c.ts", "/elsewhere/d"];
    const frame = tool({ ...edit, rawInput: { file_path: "/elsewhere/d" }, status: "completed" });
    expect(told("claude", frame)).toEqual([{ type: "files.changed", paths }]);
    expect(told("claude", tool({ ...edit, status: "failed" }))).toEqual([]);
    expect(
      told("claude", tool({ kind: "read", locations: [{ path: "x" }], status: "completed" })),
    ).toEqual([]);
  });

  it("that never ended is ended with the turn, and what comes of it afterwards is nothing", () => {
    const begun = tool({
      kind: "execute",
      rawInput: { command: "sleep 9" },
      status: "in_progress",
    });
    const decoder = new TurnDecoder(cwd, PROFILES.claude);
    expect(decoder.update(begun)).toHaveLength(1);
    expect(decoder.atWork?.name).toBe("sleep 9");
    expect(decoder.end()).toEqual([
      { type: "command.completed", command: "sleep 9", exit_code: null },
    ]);
    const next = new TurnDecoder(cwd, PROFILES.claude, decoder.toolIds);
    expect(next.update(step({ status: "completed" }))).toEqual([]);
    expect(next.atWork).toBeUndefined();
  });

  it("begins anew under an id of an earlier turn, or of one that is over", () => {
    const run = (command: string) => [
      tool({ kind: "execute", rawInput: { command } }),
      step({ status: "completed" }),
    ];
    const before = new TurnDecoder(cwd, PROFILES.claude);
    for (const frame of run("a")) before.update(frame);
    const decoder = new TurnDecoder(cwd, PROFILES.claude, before.toolIds);
    const frames = [step({ kind: "execute", title: "late" }), ...run("b"), ...run("c")];
    const commands = frames.flatMap((frame) => decoder.update(frame));
    expect(commands.flatMap((one) => ("command" in one ? one.command : []))).toEqual([
      ...["b", "b", "c", "c"],
    ]);
  });

  it("is judged by its own question where others are asked under the same id", () => {
    const decoder = new TurnDecoder(cwd, PROFILES.copilot);
    const ask = (frame: object) => decoder.asked({ toolCallId: "permission", ...frame }).asked;
    const command = ask({ kind: "execute", rawInput: { command: "npm test", cwd: "src" } });
    expect(command).toMatchObject({ command: "npm test", folder: "/project/src" });
    expect(ask({ kind: "edit", locations: [{ path: "a" }] })).toEqual({
      ...{ kind: "edit", paths: ["/project/a"], command: "" },
    });
    expect(ask({ kind: "edit", locations: [{ path: "b" }] }).paths).toEqual(["/project/b"]);
    expect(ask({ kind: "execute" })).toEqual({ kind: "execute", command: "" });
  });

  it("is judged by what its frames said where its question says nothing", () => {
    const decoder = new TurnDecoder(cwd, PROFILES.claude);
    decoder.update(tool({ kind: "execute", rawInput: { command: "npm test" } }));
    const { asked } = decoder.asked({ toolCallId: "t" });
    expect(asked).toMatchObject({ kind: "execute", command: "npm test" });
  });

  it("that was declined is not at work any more", () => {
    const decoder = new TurnDecoder(cwd, PROFILES.gemini);
    const { call } = decoder.asked({ toolCallId: "t", kind: "execute", title: "npm test" });
    expect(decoder.atWork).toBe(call);
    expect(call.declined()).toEqual([]);
    expect(decoder.atWork).toBeUndefined();
    expect(decoder.update(step({ status: "failed" }))).toEqual([]);
  });

  test.each<[ProfileName, string, number | null]>([
    ["qwen", "Output: it said\nexit code 1\nExit Code: 0\nSignal: (none)", 0],
    ["qwen", "Output: exit code: 7\n", null],
    ["claude", "the log has\nExit code 7\nin it", null],
    ["claude", "Exit code 7\nand more", 7],
  ])("of %s that prints %j has the exit code %s", (name, text, exit_code) => {
    const frames = [
      tool({ kind: "execute", rawInput: { command: "cat log" } }),
      step({ content: content("Exit code 9\n") }),
      step({ status: "completed", content: content(text) }),
    ];
    expect(told(name, ...frames).at(-1)).toMatchObject({ exit_code });
  });

  it("that prints without an end is remembered within a bound, and told on", () => {
    const output = new CommandOutput();
    const piece = "x".repeat(100_000);
    for (let i = 0; i < 100; i++) expect(output.take(piece, "")).toHaveLength(65_536);
    expect(output.take("", `${piece.repeat(100)}end`)).toBe("end");
    expect(output.take("", `${piece.repeat(100)}end!`)).toBe("!");
    expect(output.take("", "another beginning")).toBe("another beginning");
  });

  test.each([[null], [{}], [{ kind: 3, title: [], rawInput: "x", content: {}, locations: 1 }]])(
    "in any shape is no reason to fail: %j",
    (odd) => {
      const decoder = new TurnDecoder(cwd, PROFILES.qwen);
      expect(() => decoder.update(tool({ ...odd, status: "completed" }))).not.toThrow();
      expect(() => decoder.asked(odd)).not.toThrow();
    },
  );
});

describe("a message", () => {
  it("is what was said behind the last tool call, verbatim", () => {
    const decoder = new TurnDecoder(cwd, PROFILES.gemini);
    const frames = [
      ...[chunk("Let me "), chunk("look."), tool({ kind: "read", status: "in_progress" })],
      ...[chunk("All "), step({ status: "completed" }), chunk(" done.\n")],
    ];
    const events = frames.flatMap((frame) => decoder.update(frame));
    expect(decoder.answer).toBe("All  done.\n");
    expect(
      [...events, ...decoder.end()].filter(({ type }) => type === "message.completed"),
    ).toEqual([
      { type: "message.completed", text: "Let me look." },
      { type: "message.completed", text: "All  done.\n" },
    ]);
  });

  it("ends where another one begins", () => {
    const frames = [chunk("One.", { messageId: "a" }), chunk("Two.", { messageId: "b" })];
    expect(told("claude", ...frames)).toEqual([
      { type: "message.completed", text: "One." },
      { type: "message.completed", text: "Two." },
    ]);
  });

  it("has no notes of the program in it", () => {
    expect(told("copilot", chunk("Info: /project/x"), chunk("Info is good."))).toEqual([
      { type: "warning.raised", message: "GitHub Copilot CLI: Info: /project/x" },
      { type: "message.completed", text: "Info is good." },
    ]);
    const note = chunk("Skill loaded", { _meta: { claudeCode: { kind: "informational" } } });
    expect(told("claude", note)).toEqual([]);
    expect(told("gemini", chunk("Info: kept"))).toHaveLength(1);
  });

  it("is kept within a bound", () => {
    const decoder = new TurnDecoder(cwd, PROFILES.gemini);
    const megabyte = chunk("x".repeat(1024 * 1024));
    for (let i = 0; i < 20; i++) decoder.update(megabyte);
    expect(decoder.answer.length).toBe(8 * 1024 * 1024);
  });
});

test.each<[object, TurnEvent[]]>([
  [{ sessionUpdate: "plan", entries: [] }, []],
  [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } }, []],
  [{ sessionUpdate: "something_new" }, []],
  [{}, []],
  [{ sessionUpdate: "compaction_update", status: "in_progress" }, []],
  [{ sessionUpdate: "compaction_update", status: "completed" }, [{ type: "context.compacted" }]],
  [{ sessionUpdate: "notice", severity: "info", title: "x" }, []],
  [
    { sessionUpdate: "notice", severity: "warning", title: "Low on tokens." },
    [{ type: "warning.raised", message: "Low on tokens." }],
  ],
])("%j tells %j", (frame, events) => {
  expect(told("gemini", frame)).toEqual(events);
});
