import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, test, vi } from "vitest";
import { codexAgent } from "../src/index.ts";
import { fake } from "./fake.ts";
import { only } from "./harness.ts";

describe("codexAgent on a program that speaks like Codex", {
  timeout: 60_000,
  concurrent: true,
}, () => {
  it("runs a turn: session, messages, result, usage", async () => {
    await using it = await fake("happy");
    const session = await it.open();
    expect(await it.run(session)).toEqual({
      text: "All done.",
      turn_id: "turn-1",
      usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2, total_tokens: 12 },
    });
    expect(it.events).toEqual([
      { type: "session.started", session_id: session.id },
      { type: "message.completed", text: "Looking." },
      {
        type: "usage.updated",
        usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2, total_tokens: 12 },
      },
    ]);
  });

  it("launches a thread with our policy, instructions and folder", async () => {
    await using it = await fake("happy");
    await it.run(await it.open());
    const started = (await it.sent()).find(({ method }) => method === "thread/start");
    expect(started?.params).toEqual({
      cwd: it.cwd,
      permissions: "ccw-loop",
      approvalsReviewer: "user",
      approvalPolicy: {
        granular: {
          ...{ sandbox_approval: false, rules: true, skill_approval: false },
          ...{ request_permissions: false, mcp_elicitations: false },
        },
      },
      developerInstructions: "Be brief.",
    });
  });

  it("gives a turn its own schema", async () => {
    await using it = await fake("happy");
    const session = await it.open();
    const { signal } = new AbortController();
    const outputSchema = { type: "object" };
    await session.run("First.", { signal, outputSchema });
    await session.run("Second.", { signal });
    const turns = (await it.sent()).filter(({ method }) => method === "turn/start");
    const asked = (text: string) => ({
      threadId: session.id,
      input: [{ type: "text", text, text_elements: [] }],
    });
    expect(turns.map(({ params }) => params)).toEqual([
      { ...asked("First."), outputSchema },
      asked("Second."),
    ]);
  });

  it("reads the result of an older version from its messages", async () => {
    await using it = await fake("older-version");
    expect((await it.run(await it.open())).text).toBe("from the items");
  });

  it("a crash in the middle of a turn: agent_died; the next has a new process, same thread", async () => {
    await using it = await fake("crash");
    const session = await it.open();
    await expect(it.run(session)).rejects.toMatchObject({
      code: "agent_died",
      message: expect.stringContaining("exit code 0"),
    });
    expect((await it.run(session)).text).toBe("second life");
    const sent = await it.sent();
    expect(sent.filter(({ method }) => method === "thread/resume")).toHaveLength(1);
    expect(sent.filter(({ method }) => method === "turn/start")).toHaveLength(2);
    expect(only(it.events, "turn.retried")).toEqual([]);
  });

  it("silence: agent_timeout, and the turn is interrupted", async () => {
    await using it = await fake("silent", { silenceMs: 200 });
    const failed = it.run(await it.open());
    await expect(failed).rejects.toMatchObject({ code: "agent_timeout" });
    expect((await it.sent()).map(({ method }) => method)).toContain("turn/interrupt");
  });

  it("an abort interrupts, cleans and rejects with the reason", async () => {
    await using it = await fake("silent");
    const session = await it.open();
    const abort = new AbortController();
    const running = it.run(session, abort.signal);
    await vi.waitFor(() => expect(it.events).toHaveLength(1), { timeout: 20_000 });
    const reason = { paused: true };
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
    const methods = (await it.sent()).map(({ method }) => method);
    expect(methods.slice(-2)).toEqual(["turn/interrupt", "thread/backgroundTerminals/clean"]);
  });

  it("a turn/start that is never answered counts as a crash", { tags: ["slow"] }, async () => {
    await using it = await fake("deaf", { requestMs: 6000 });
    const failed = it.run(await it.open());
    await expect(failed).rejects.toMatchObject({
      code: "agent_died",
      message: expect.stringContaining("did not answer turn/start"),
    });
  });

  it("lines that are no message and shapes that are new: a warning, and on", async () => {
    await using it = await fake("bad-line");
    expect((await it.run(await it.open())).text).toBe("still here");
    const warnings = only(it.events, "warning.raised").map((e) => e.message);
    expect(warnings).toEqual([
      expect.stringContaining("this is no JSON"),
      expect.stringContaining("item/completed"),
    ]);
  });

  test.each([
    ["separators", "one\u2028two\u2029three\u0085four"],
    ["huge", "x".repeat(3_000_000)],
  ])("text stays exact: %s", async (scenario, text) => {
    await using it = await fake(scenario);
    expect((await it.run(await it.open())).text).toBe(text);
  });

  it("answers every question at once, by the stated policy", async () => {
    await using it = await fake("questions");
    const { text } = await it.run(await it.open());
    expect(JSON.parse(text)).toEqual([
      { result: { decision: "accept" } },
      { result: { decision: "decline" } },
      { result: { decision: "decline" } },
      { result: { permissions: {}, scope: "turn" } },
      { result: { action: "decline", content: null, _meta: null } },
      { error: { code: -32601, message: expect.stringContaining("something/quite/new") } },
    ]);
    const decisions = only(it.events, "approval.answered").map((e) => e.decision);
    expect(decisions.toSorted()).toEqual([
      ...["accept", "decline", "decline", "decline", "decline", "refuse"],
    ]);
  });

  it("a turn that somebody else interrupted: agent_failed after one more try", async () => {
    await using it = await fake("interrupted");
    const failed = it.run(await it.open());
    await expect(failed).rejects.toMatchObject({ code: "agent_failed" });
  });

  it("ends a turn that is not ours before it sends its prompt", async () => {
    await using it = await fake("foreign-turn");
    expect((await it.run(await it.open())).text).toBe("mine");
    const methods = (await it.sent()).map(({ method }) => method);
    expect(methods.indexOf("turn/interrupt")).toBeLessThan(methods.indexOf("turn/start"));
    expect(methods).toContain("turn/interrupt");
  });

  it("a program that will not leave is killed", async () => {
    await using it = await fake("stubborn", { closeMs: 200 });
    const session = await it.open();
    await it.run(session);
    await session.close();
    expect(processesRunning(`projects={"${it.cwd}"`)).toEqual([]);
  });

  test.each([
    ["bad-start", "agent_unavailable", "the moon is in the wrong phase", 30_000],
    ["no-login", "agent_unauthorized", "codex login", 30_000],
    ["no-sandbox", "sandbox_unavailable", "bwrap: No permissions", 30_000],
    ["mute", "agent_unavailable", "did not answer initialize", 1_000],
  ])("opening with %s: %s", async (scenario, code, words, requestMs) => {
    await using it = await fake(scenario, { requestMs });
    const message = expect.stringContaining(words);
    await expect(it.open()).rejects.toMatchObject({ code, message });
    expect(await codexAgent(it.options).check(it.cwd)).toMatchObject({
      ok: false,
      problems: [{ code, message }],
    });
  });

  test.each([
    ["codex-cli 0.130.0", "0.130.0"],
    ["hello", "does not tell a version"],
  ])("a program that says %j is refused", async (version, words) => {
    await using it = await fake("happy", {}, version);
    await expect(it.open()).rejects.toMatchObject({
      code: "agent_unavailable",
      message: expect.stringMatching(new RegExp(`${words}.*npm install -g @openai/codex`)),
    });
  });

  it("a newer version is taken", async () => {
    await using it = await fake("happy", {}, "codex-cli 9.0.0");
    const check = await codexAgent(it.options).check(it.cwd);
    expect(check).toMatchObject({ ok: true, version: "9.0.0" });
  });
});
