import type { AgentSession } from "@ccw-loop/core";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, test, vi } from "vitest";
import { CONFINED } from "../src/protocol.ts";
import { fake } from "./fake.ts";
import { only } from "./harness.ts";

const forkOf = { session_id: "0199a213-81c0-7800-8aa1-000000000001", turn_id: "turn-7" };

const exec = (session: AgentSession, signal = new AbortController().signal) =>
  session.exec?.("make probe", { signal, timeoutMs: 60_000 });

describe("forking on a program that speaks like Codex", {
  timeout: 60_000,
  concurrent: true,
}, () => {
  it("asks for a copy up to that turn, with the settings of a new thread", async () => {
    await using it = await fake("happy");
    const session = await it.open({ forkOf });
    const { id } = session;
    expect(id).toMatch(/f04c$/);
    expect(only(it.events, "session.started")).toEqual([
      { type: "session.started", session_id: id },
    ]);
    await it.run(session);
    expect(session.id).toBe(id);
    expect(only(it.events, "session.started")).toHaveLength(1);

    const sent = await it.sent();
    expect(sent.map(({ method }) => method)).not.toContain("thread/start");
    expect(sent.find(({ method }) => method === "thread/fork")?.params).toEqual({
      threadId: forkOf.session_id,
      lastTurnId: "turn-7",
      excludeTurns: true,
      cwd: it.cwd,
      permissions: "ccw-loop",
      approvalsReviewer: "user",
      approvalPolicy: expect.objectContaining({ granular: expect.anything() }),
      developerInstructions: "Be brief.",
    });
  });

  it("begins anew, with a warning, on a version that cannot copy", async () => {
    await using it = await fake("no-fork");
    const session = await it.open({ forkOf });
    expect(session.id).toBeNull();
    expect(only(it.events, "warning.raised").map((e) => e.message)).toEqual([
      expect.stringMatching(/0001 cannot be copied.*unknown variant `thread\/fork`\.$/),
    ]);
    expect((await it.sent()).map(({ method }) => method)).toContain("thread/start");
  });

  it("a Codex that dies of it does not pass for one that cannot copy", async () => {
    await using it = await fake("fork-crash");
    await expect(it.open({ forkOf })).rejects.toMatchObject({ code: "agent_unavailable" });
  });

  it("continues a session that is there rather than copy another one", async () => {
    await using it = await fake("happy");
    await it.open({ sessionId: "0199a213-81c0-7800-8aa1-bbab2a035a53", forkOf });
    const methods = (await it.sent()).map(({ method }) => method);
    expect(methods).toContain("thread/resume");
    expect(methods).not.toContain("thread/fork");
  });
});

describe("exec on a program that speaks like Codex", { timeout: 60_000, concurrent: true }, () => {
  test.each([
    ["that Codex told", "happy", { type: "workspaceWrite", writableRoots: ["/also/here"] }],
    ["that is the strictest, where Codex told none", "older-version", CONFINED],
  ])("with nothing protected, runs under the policy %s", async (_, scenario, policy) => {
    await using it = await fake(scenario);
    it.options.protect = [];
    const session = await it.open();
    expect(await exec(session)).toEqual({ exit_code: 0, output: "it ran", timed_out: false });
    const [command] = (await it.sent()).filter(({ method }) => method === "command/exec").slice(-1);
    expect(command?.params).toMatchObject({
      cwd: it.cwd,
      command: ["/bin/sh", "-c", "make probe"],
      sandboxPolicy: { networkAccess: false, ...policy },
      ...{ streamStdoutStderr: true, disableOutputCap: true, disableTimeout: true },
    });
  });

  it("a sandbox that cannot confine it: sandbox_unavailable", async () => {
    await using it = await fake("exec-no-sandbox");
    await expect(exec(await it.open())).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining("bwrap: No permissions"),
    });
  });

  it("a crash: agent_died, nothing is tried again, and the session works on", async () => {
    await using it = await fake("exec-crash");
    const session = await it.open();
    await expect(exec(session)).rejects.toMatchObject({ code: "agent_died" });
    const commands = (await it.sent()).filter(({ params }) => params?.processId);
    expect(commands).toHaveLength(1);
    expect(await exec(session)).toMatchObject({ output: "it ran" });
  });

  it("a Codex that does not end it is killed, and started again when it is needed", async () => {
    await using it = await fake("exec-deaf", { interruptMs: 200 });
    const session = await it.open();
    const abort = new AbortController();
    const running = exec(session, abort.signal);
    running?.catch(() => undefined);
    await vi.waitFor(async () => {
      expect((await it.sent()).map(({ params }) => params?.processId).some(Boolean)).toBe(true);
    }, 20_000);
    const reason = { paused: true };
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(processesRunning(`projects={"${it.cwd}"`)).toEqual([]);
    expect(
      await session.exec?.("make", { signal: new AbortController().signal, timeoutMs: 50 }),
    ).toEqual({ exit_code: null, output: "", timed_out: true });
  });
});
