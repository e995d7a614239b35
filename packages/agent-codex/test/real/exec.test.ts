/** @module-tag slow */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, vi } from "vitest";
import { confined, stage, withCodex } from "../harness.ts";
import { uniqueSleep } from "../processes.ts";

const idle = { signal: new AbortController().signal, timeoutMs: 60_000 };

describe.runIf(withCodex)("exec of the real Codex", { timeout: 60_000, concurrent: true }, () => {
  it("writes nowhere but in the project, not in .git either, and reaches no network", async (context) => {
    await using it = await stage({ files: { "kept.txt": "" }, script: [] });
    await using session = await confined(it, context);
    const outside = await mkdtemp(join(tmpdir(), "ccw-outside-"));
    await using listening = await listener();
    const connect = `require("net").connect(${listening.port}, "127.0.0.1").on("connect", () => console.log("CONNECTED")).on("error", (e) => console.log(e.code))`;
    const result = await session.exec?.(
      `touch inside.txt; touch ${outside}/x; touch .git/x; touch .codex/x; node -e '${connect}'`,
      idle,
    );
    const written = await readdir(outside);
    await rm(outside, { recursive: true });
    expect(written).toEqual([]);
    expect(await readdir(join(it.repo.path, ".git"))).not.toContain("x");
    expect(result?.output).toMatch(/EPERM|ENETUNREACH|ECONNREFUSED/);
    expect(result?.output).not.toContain("CONNECTED");
    expect(await it.repo.git("status", "--short", "--ignored")).toBe("?? inside.txt\n");
  });

  it("has the network where the user's settings give it to the turns", async (context) => {
    const network = "sandbox_workspace_write.network_access=true";
    await using it = await stage({ config: [network], script: [] });
    await using session = await confined(it, context);
    await using listening = await listener();
    const connect = `require("net").connect(${listening.port}, "127.0.0.1", () => { console.log("CONNECTED"); process.exit() })`;
    expect(await session.exec?.(`node -e '${connect}'`, idle)).toMatchObject({
      output: "CONNECTED\n",
    });
  });

  it("a sandbox that breaks later: sandbox_unavailable", async (context) => {
    await using it = await stage({ script: [] });
    await using session = await confined(it, context);
    const broken = session.exec?.(
      'echo "bwrap: No permissions to create a namespace"; exit 1',
      idle,
    );
    await expect(broken).rejects.toMatchObject({ code: "sandbox_unavailable" });
  });

  it("without a sandbox, an abort reaches children in sessions of their own", async () => {
    const nap = uniqueSleep();
    await using it = await stage({ sandbox: "danger-full-access", script: [] });
    const session = await it.open();
    const abort = new AbortController();
    const running = session.exec?.(`setsid ${nap} & nohup ${nap} & (setsid ${nap}); true`, {
      ...idle,
      signal: abort.signal,
    });
    running?.catch(() => undefined);
    await vi.waitFor(() => expect(processesRunning(nap).length).toBeGreaterThan(2), 20_000);
    abort.abort(new Error("stop"));
    await expect(running).rejects.toThrow("stop");
    expect(processesRunning(nap)).toEqual([]);
  });

  it("survives a flood that only its time limit ends", async () => {
    await using it = await stage({ script: [] });
    const session = await it.open();
    const result = await session.exec?.("yes 'it never ends'", { ...idle, timeoutMs: 1000 });
    expect(result).toMatchObject({ timed_out: true, exit_code: null });
    expect(result?.output.length).toBeGreaterThan(1000);
    expect(result?.output.length).toBeLessThanOrEqual(64 * 1024);
    expect(await session.exec?.("echo calm", idle)).toMatchObject({ output: "calm\n" });
  });
});

/** Somebody to talk to, if one can. */
async function listener(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was given to us.");
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
