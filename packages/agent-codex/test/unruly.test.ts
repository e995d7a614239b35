/** @module-tag slow */
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, vi } from "vitest";
import { codexAgent } from "../src/index.ts";
import { fake } from "./fake.ts";
import { only } from "./harness.ts";

describe("a Codex that does not behave", { timeout: 60_000, concurrent: true }, () => {
  it.each(["mute", "mute-and-stubborn"])(
    "%s while it opens: an abort ends it and rejects with the reason",
    async (scenario) => {
      await using it = await fake(scenario);
      const abort = new AbortController();
      const opening = it.open({ signal: abort.signal });
      const failed = expect(opening).rejects.toBe("the operator stopped the loop");
      const program = `projects={"${it.cwd}"`;
      await vi.waitFor(() => expect(processesRunning(program)).not.toEqual([]), 20_000);
      abort.abort("the operator stopped the loop");
      await failed;
      expect(processesRunning(program)).toEqual([]);
    },
  );

  it("one that does not even tell its version: an abort ends it, too", async () => {
    await using it = await fake("happy", {}, '"; exec sleep 3607; "');
    const abort = new AbortController();
    const opening = it.open({ signal: abort.signal });
    const failed = expect(opening).rejects.toBe("enough");
    await vi.waitFor(() => expect(processesRunning("sleep 3607")).not.toEqual([]), 20_000);
    abort.abort("enough");
    await failed;
    expect(processesRunning("sleep 3607")).toEqual([]);
  });

  it("opens nothing when it was aborted before", async () => {
    await using it = await fake("happy");
    const opening = it.open({ signal: AbortSignal.abort("too late") });
    await expect(opening).rejects.toBe("too late");
    await expect(it.sent()).rejects.toThrow("ENOENT");
  });

  it("what a turn used is known also when it is cut off", async () => {
    await using it = await fake("spends");
    const session = await it.open();
    const abort = new AbortController();
    const running = it.run(session, abort.signal);
    const failed = expect(running).rejects.toBe("enough");
    await vi.waitFor(() => expect(only(it.events, "usage.updated")).toHaveLength(2), 20_000);
    abort.abort("enough");
    await failed;
    expect(only(it.events, "usage.updated").at(-1)?.usage.total_tokens).toBe(250);
  });

  it("closes its output and goes on: it is ended, and counts as a crash", async () => {
    await using it = await fake("hangup");
    await expect(it.run(await it.open())).rejects.toMatchObject({
      code: "agent_died",
      message: expect.stringContaining("closed its output"),
    });
    expect(processesRunning(`projects={"${it.cwd}"`)).toEqual([]);
  });
});

it("a flood on both pipes is read to its end, and not kept", { timeout: 60_000 }, async () => {
  await using it = await fake("flood");
  const before = process.memoryUsage.rss();
  let [highest, heard] = [0, 0];
  const session = await codexAgent(it.options).open({ cwd: it.cwd, instructions: "" });
  const result = await session.run("Pour.", {
    signal: new AbortController().signal,
    onEvent: (event) => {
      if (event.type !== "command.output") return;
      heard += event.text.length;
      highest = Math.max(highest, process.memoryUsage.rss());
    },
  });
  await session.close();
  const poured = Number(/poured (\d+)/.exec(result.text)?.[1]);
  expect(heard).toBe(poured / 2);
  expect(poured).toBeGreaterThan(20_000_000);
  // One message may be 64 MB long; a longer line is dropped while it comes.
  expect(highest - before).toBeLessThan(250_000_000);
});
