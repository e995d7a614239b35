import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TurnEvent } from "@ccw-loop/core";
import { describe, expect, it, vi } from "vitest";
import { processesRunning, scriptedAgent } from "../../src/index.ts";
import { ask, conversation, emptyFolder } from "./conversations.ts";

const typesOf = (events: TurnEvent[]) => events.map((event) => event.type);

describe("steps", () => {
  it("edits files in order and tells which", async () => {
    const { session, cwd } = await conversation([
      {
        steps: [
          { write: { path: "src/a.js", content: "let a = 1;\n" } },
          { write: { path: "old.js", content: "" } },
          { replace: { path: "src/a.js", old: "1", new: "2" } },
          { append: { path: "src/a.js", text: "a += 1;\n" } },
          { delete: "old.js" },
        ],
        answer: "ok",
      },
    ]);
    const { events } = await ask(session);
    expect(await readFile(join(cwd, "src/a.js"), "utf8")).toBe("let a = 2;\na += 1;\n");
    expect(existsSync(join(cwd, "old.js"))).toBe(false);
    const changed = events.flatMap((event) => (event.type === "files.changed" ? event.paths : []));
    expect(changed).toEqual(["src/a.js", "old.js", "src/a.js", "src/a.js", "old.js"]);
  });

  it("streams a message in pieces that make up the whole", async () => {
    const text = "  Two words,\n\nthen  more. ";
    const { session } = await conversation([{ steps: [{ say: text }], answer: "ok" }]);
    const { events } = await ask(session);
    const end = events.findIndex((event) => event.type === "message.completed");
    const pieces = events.slice(0, end);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map((e) => (e.type === "message.delta" ? e.text : "?")).join("")).toBe(text);
    expect(events[end]).toEqual({ type: "message.completed", text });
  });

  it("tells null as the exit code of a command that a signal ended, and goes on", async () => {
    const { session } = await conversation([{ steps: [{ run: "kill -9 $$" }], answer: "ok" }]);
    const { text, events } = await ask(session);
    expect(events).toContainEqual(expect.objectContaining({ exit_code: null }));
    expect(text).toBe("ok");
  });

  it("reports what it uses on the way and in the end, money included", async () => {
    const { session } = await conversation([
      {
        steps: [{ use: { input: 10, output: 2 } }, { use: { input: 20, cached: 5, cost: 0.1 } }],
        answer: "ok",
        usage: { input: 30, output: 4, cost: 0.25 },
      },
    ]);
    const { events, usage } = await ask(session);
    const totals = events.flatMap((event) => (event.type === "usage.updated" ? [event.usage] : []));
    const none = { cached_input_tokens: 0, output_tokens: 0 };
    expect(totals).toEqual([
      { ...none, input_tokens: 10, output_tokens: 2, total_tokens: 12 },
      { ...none, input_tokens: 20, cached_input_tokens: 5, total_tokens: 20, cost_usd: 0.1 },
    ]);
    expect(usage).toEqual({
      ...none,
      input_tokens: 30,
      output_tokens: 4,
      total_tokens: 34,
      cost_usd: 0.25,
    });
  });

  it("is not opened for somebody who has given up", async () => {
    const agent = scriptedAgent({ script: { turns: [{ answer: "ok" }] } });
    const gone = AbortSignal.abort(new Error("gave up"));
    const open = agent.open({ cwd: await emptyFolder(), instructions: "", signal: gone });
    await expect(open).rejects.toThrow("gave up");
  });

  it("waits for the text it expects to be steered with", async () => {
    const { session } = await conversation([
      { steps: [{ say: "Ready." }, { expect_steer: "/short/i" }], answer: "ok" },
    ]);
    const events: TurnEvent[] = [];
    const run = session.run("Go on.", {
      signal: new AbortController().signal,
      onEvent: (event) => events.push(event),
    });
    await vi.waitFor(() => expect(typesOf(events)).toContain("message.completed"));
    await session.steer("Take your time.");
    const beforeIt = [...events];
    await session.steer("Keep it SHORT.");
    expect((await run).text).toBe("ok");
    expect(beforeIt).not.toContainEqual({ type: "message.completed", text: "ok" });
    expect(events).toContainEqual({ type: "message.completed", text: "Noted: Keep it SHORT." });
  });

  it("takes the time it is told to, times the pace", async () => {
    const turns = [
      { steps: [{ wait: 60_000 }, { say: { text: "a b", over_ms: 60_000 } }], answer: "" },
    ];
    const { session } = await conversation(turns, { pace: 0.001 });
    const began = performance.now();
    await ask(session);
    expect(performance.now() - began).toBeGreaterThan(100);
  });

  it.each([false, true])(
    "leaves a process behind (setsid: %s), which a crash ends",
    async (setsid) => {
      const sleep = `sleep ${900_000_000 + process.pid * 10 + Number(setsid)}`;
      const { session } = await conversation([
        { steps: [{ background: { command: sleep, setsid } }], answer: "left" },
        { steps: [{ crash: true }] },
      ]);
      await ask(session);
      expect(processesRunning(sleep)).not.toEqual([]);
      await expect(ask(session)).rejects.toMatchObject({ code: "agent_died" });
      expect(processesRunning(sleep)).toEqual([]);
    },
  );

  it("refuses to touch a file outside of the project", async () => {
    const cwd = join(await emptyFolder(), "project");
    await mkdir(cwd);
    const turns = [{ steps: [{ write: { path: "../out.txt", content: "" } }], answer: "" }];
    const { session } = await conversation(turns, { cwd });
    await expect(ask(session)).rejects.toMatchObject({ code: "unsafe_path" });
    expect(existsSync(join(cwd, "../out.txt"))).toBe(false);
  });
});

describe("the final message", () => {
  it("is an ACTION_RESULT when the answer is one, with the turn's action", async () => {
    const answer = { message: "Done.", state_updates: { tasks: [{ description: "a" }] } };
    const { session } = await conversation([{ action: "INIT", answer }]);
    expect(JSON.parse((await ask(session)).text)).toEqual({
      action: "INIT",
      status: "success",
      message: "Done.",
      state_updates: { tasks: [{ description: "a" }] },
      files_updated: [],
      next_action_needed: "NONE",
    });
  });

  it("is rubbish when the script says so, the same each time", async () => {
    const { session } = await conversation([{ rubbish: 500, repeat: true }]);
    const { text } = await ask(session);
    expect(text).toHaveLength(500);
    expect(new Set(text).size).toBeGreaterThan(100);
    expect((await ask(session)).text).toBe(text);
  });

  it("carries the usage of its turn, or none", async () => {
    const usage = { input: 100, cached: 40, output: 7 };
    const { session } = await conversation([{ answer: "1", usage }, { answer: "2" }]);
    expect((await ask(session)).usage).toEqual({
      input_tokens: 100,
      cached_input_tokens: 40,
      output_tokens: 7,
      total_tokens: 107,
    });
    expect((await ask(session)).usage).toBeNull();
  });
});

describe("a usage limit", () => {
  it("ends at a time counted from now, which is also told", async () => {
    const now = () => new Date("2030-01-01T00:00:00.000Z");
    const steps = [{ fail: { code: "usage_limit" as const, resets_in: 90 } }];
    const { session } = await conversation([{ steps }], { now });
    const events: TurnEvent[] = [];
    const run = session.run("Go on.", {
      signal: new AbortController().signal,
      onEvent: (event) => events.push(event),
    });
    const resets_at = "2030-01-01T00:01:30.000Z";
    await expect(run).rejects.toMatchObject({ code: "usage_limit", details: { resets_at } });
    expect(events).toEqual([{ type: "limits.updated", limits: { used_percent: 100, resets_at } }]);
  });
});
