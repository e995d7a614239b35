/** @module-tag slow */
import { readdir } from "node:fs/promises";
import { message, processesRunning, runCommand } from "@ccw-loop/testkit";
import { describe, expect, it, vi } from "vitest";
import { only, stage, withCodex } from "../harness.ts";
import { uniqueSleep, untilRuns } from "../processes.ts";

describe.runIf(withCodex)("stopping the real Codex", { timeout: 60_000, concurrent: true }, () => {
  it("an abort in the first moments of a command leaves the project as it was", async () => {
    await using it = await stage({ script: () => ({ items: [runCommand("sleep 600")] }) });
    const session = await it.open();
    const before = await readdir(it.repo.path);
    for (const times of [1, 2, 3]) {
      const abort = new AbortController();
      const running = it.run(session, "sleep", { signal: abort.signal });
      await vi.waitFor(() => expect(only(it.events, "command.started")).toHaveLength(times), {
        interval: 1,
        timeout: 20_000,
      });
      abort.abort(new Error("at once"));
      await expect(running).rejects.toThrow("at once");
      expect(await readdir(it.repo.path)).toEqual(before);
    }
  });

  it("an abort reaches children that moved into sessions of their own, without a sandbox", async () => {
    const nap = uniqueSleep();
    await using it = await stage({
      sandbox: "danger-full-access",
      script: [{ items: [runCommand(`setsid ${nap} & nohup ${nap} & (setsid ${nap}); true`)] }],
    });
    const session = await it.open();
    const abort = new AbortController();
    const running = it.run(session, "sleep", { signal: abort.signal });
    await vi.waitFor(() => expect(processesRunning(`${nap}`).length).toBeGreaterThan(2), 20_000);
    abort.abort(new Error("stop"));

    await expect(running).rejects.toThrow("stop");
    expect(processesRunning(nap)).toEqual([]);
  });

  it("a turn that ends by itself leaves nothing running in the background", async () => {
    const nap = uniqueSleep();
    await using it = await stage({
      sandbox: "danger-full-access",
      script: [
        { items: [runCommand(`setsid ${nap} & ${nap}`, { yield_time_ms: 250 })] },
        { items: [message("it runs")], delayMs: 300 },
      ],
    });
    const session = await it.open();
    const running = it.run(session, "start the server");
    await untilRuns(nap);
    expect((await running).text).toBe("it runs");
    expect(processesRunning(nap)).toEqual([]);
  });

  it("an abort while the model is silent ends the request", async () => {
    await using it = await stage({ script: [{ hang: true }, { items: [message("back")] }] });
    const session = await it.open();
    const abort = new AbortController();
    const running = it.run(session, "think", { signal: abort.signal });
    await vi.waitFor(() => expect(it.model.requests).toHaveLength(1), 20_000);
    abort.abort(new Error("enough"));

    await expect(running).rejects.toThrow("enough");
    await vi.waitFor(() => expect(it.model.requests[0]?.closed).toBe(true));
    expect((await it.run(session, "again")).text).toBe("back");
  });

  it("an abort ends the pause before a retry", async () => {
    await using it = await stage({
      limits: { backoffMs: 600_000, backoffMaxMs: 600_000 },
      script: [{ status: 429 }],
    });
    const session = await it.open();
    const abort = new AbortController();
    const running = it.run(session, "hurry", { signal: abort.signal });
    await vi.waitFor(() => expect(only(it.events, "turn.retried")).toHaveLength(1), 20_000);
    abort.abort(new Error("no patience"));
    await expect(running).rejects.toThrow("no patience");
  });

  it("a Codex that does not end its turn is killed, and the thread resumed next time", async () => {
    await using it = await stage({
      limits: { interruptMs: 300 },
      script: [{ hang: true }, { items: [message("resumed")] }],
    });
    const session = await it.open();
    const abort = new AbortController();
    const running = it.run(session, "think", { signal: abort.signal });
    await vi.waitFor(() => expect(it.model.requests).toHaveLength(1), 20_000);
    const [codex = 0] = processesRunning(`app-server -c projects={"${it.repo.path}"`);
    process.kill(codex, "SIGSTOP");
    abort.abort(new Error("stuck"));

    await expect(running).rejects.toThrow("stuck");
    expect(processesRunning(`projects={"${it.repo.path}"`)).toEqual([]);
    const before = session.id;
    expect((await it.run(session, "go on")).text).toBe("resumed");
    expect(session.id).toBe(before);
    expect(only(it.events, "session.resumed")).toHaveLength(1);
  });
});
