/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { message, processesRunning, runCommand } from "@ccw-loop/testkit";
import { describe, expect, it, vi } from "vitest";
import { only, type Stage, stage, withCodex } from "../harness.ts";
import { codexIn, uniqueSleep, untilGone, untilRuns } from "../processes.ts";

describe.runIf(withCodex)("after a crash", { timeout: 60_000, concurrent: true }, () => {
  it("a killed Codex is started again by the next turn, in the same thread", async () => {
    const nap = uniqueSleep();
    await using it = await stage({
      script: [{ items: [runCommand(nap)] }, { items: [message("finished")] }],
    });
    const session = await it.open();
    const running = it.run(session, "build the thing");
    await untilRuns(nap);
    process.kill(codexIn(it.repo.path), "SIGKILL");

    await expect(running).rejects.toMatchObject({ code: "agent_died" });
    expect(processesRunning(nap)).toEqual([]);
    expect((await it.run(session, "go on")).text).toBe("finished");
    const [first, second] = it.model.requests;
    expect(second?.headers["thread-id"]).toBe(first?.headers["thread-id"]);
    expect(second?.userTexts).toEqual(["build the thing", "go on"]);
  });

  it("a Codex that leaves with exit code 0 in the middle of a turn has crashed too", async () => {
    await using it = await stage({ script: [{ hang: true }, { items: [message("back")] }] });
    const session = await it.open();
    const running = it.run(session, "think");
    await vi.waitFor(() => expect(it.model.requests).toHaveLength(1), { timeout: 20_000 });
    process.kill(codexIn(it.repo.path), "SIGTERM");
    await expect(running).rejects.toMatchObject({
      code: "agent_died",
      message: expect.stringMatching(/Codex (ended with exit code 0|was ended by SIGTERM)/),
    });
    expect((await it.run(session, "again")).text).toBe("back");
  });

  it("the death of our own process ends Codex; another one resumes the thread", async () => {
    const nap = uniqueSleep();
    await using it = await stage({
      script: [{ items: [runCommand(nap)] }, { items: [message("resumed")] }],
    });
    const sessionId = await killedWhileRunning(it, nap);
    await untilGone(nap);
    const session = await it.open({ sessionId });

    expect((await it.run(session, "go on")).text).toBe("resumed");
    expect(session.id).toBe(sessionId);
    expect(it.model.requests[1]?.userTexts).toEqual(["work", "go on"]);
    expect(only(it.events, "session.resumed")).toEqual([
      { type: "session.resumed", session_id: sessionId },
    ]);
  });

  it("opening ends what the agent of a dead process left behind", async () => {
    const nap = uniqueSleep();
    await using it = await stage({
      sandbox: "danger-full-access",
      script: [{ items: [runCommand(`setsid ${nap} & sleep 600`)] }],
    });
    const sessionId = await killedWhileRunning(it, nap);
    await it.open({ sessionId });
    await untilGone(nap);
  });

  it("an archived conversation is taken out of the archive", async () => {
    await using it = await stage({
      script: [{ items: [message("one")] }, { items: [message("two")] }],
    });
    const first = await it.open();
    await it.run(first, "first");
    await first.close();
    await codexCli(it, "archive", first.id ?? "");
    const second = await it.open({ sessionId: first.id });
    await it.run(second, "second");
    expect(it.model.requests[1]?.userTexts).toEqual(["first", "second"]);
  });

  it("a conversation that another living process has open is refused by name", async () => {
    await using it = await stage({
      limits: { busyMs: 200 },
      script: [{ items: [message("one")] }],
    });
    const first = await it.open();
    await it.run(first, "first");
    await expect(it.open({ sessionId: first.id })).rejects.toMatchObject({
      code: "agent_unavailable",
      message: expect.stringContaining("already has an active writer"),
    });
  });
});

/** Runs a turn in another process and kills that process while `command` runs; answers the session's id. */
async function killedWhileRunning({ options, repo }: Stage, command: string): Promise<string> {
  const program = join(import.meta.dirname, "../fixtures/run-agent.ts");
  const input = JSON.stringify({ options, cwd: repo.path, prompt: "work" });
  const owner = spawn(process.execPath, [program, input], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(owner, "exit");
  let sessionId = "";
  for await (const line of createInterface({ input: owner.stdout })) {
    const event = JSON.parse(line);
    if (event.type === "session.started") sessionId = event.session_id;
    if (event.type === "command.started") break;
  }
  await untilRuns(command);
  owner.kill("SIGKILL");
  await exited;
  return sessionId;
}

async function codexCli({ options }: Stage, ...args: string[]): Promise<void> {
  const env = Object.fromEntries(Object.entries(options.env ?? {}));
  const child = spawn(options.binary ?? "", args, { env, stdio: "ignore" });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
}
