import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyOf, type SessionRecord, withPrompt, withTurn } from "../../src/agent/session-file.ts";
import { processesRunning } from "../../src/index.ts";
import { ask, conversation, emptyFolder } from "./conversations.ts";

const SIX = ["1", "2", "3", "4", "5", "6"].map((answer) => ({ answer }));

describe("a copy of a conversation", () => {
  it("goes on in the script where the turn ended, and counts its own turns", async () => {
    const home = await emptyFolder();
    const { session } = await conversation(SIX, { home });
    const ids: unknown[] = [];
    for (const _ of [1, 2, 3]) ids.push((await ask(session)).turn_id);
    expect(ids).toEqual(["1", "2", "3"]);

    const forkOf = { session_id: session.id ?? "", turn_id: "1" };
    const copy = await conversation(SIX, { home, forkOf });
    expect(await ask(copy.session)).toMatchObject({ text: "2", turn_id: "2" });
    expect(await ask(session)).toMatchObject({ text: "4", turn_id: "4" });

    const ofCopy = { session_id: copy.session.id ?? "", turn_id: null };
    const second = await conversation(SIX, { home, forkOf: ofCopy });
    expect(await ask(second.session)).toMatchObject({ text: "3", turn_id: "3" });
  });

  it("gives a turn that was interrupted no number", async () => {
    const { session } = await conversation([
      { when: "stop", steps: [{ hang: true }] },
      { answer: "ok", repeat: true },
    ]);
    expect((await ask(session)).turn_id).toBe("1");
    const run = session.run("stop", { signal: AbortSignal.timeout(20) });
    await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
    expect((await ask(session)).turn_id).toBe("2");
  });

  it("begins anew in a folder that does not know the original", async () => {
    const { session } = await conversation(SIX);
    await ask(session);
    const forkOf = { session_id: session.id ?? "", turn_id: "1" };
    const stranger = await conversation(SIX, { forkOf });
    expect((await ask(stranger.session)).text).toBe("1");
  });

  it("forgets what was heard later, however much of it was dropped by then", () => {
    let record: SessionRecord = { session_id: "a", used: [], heard: [], turns: [] };
    for (let i = 1; i <= 150; i += 1) ({ record } = withTurn(withPrompt(record, `prompt ${i}`)));
    expect(record.heard).toHaveLength(100);
    expect(copyOf(record, "149", "b")?.heard.slice(-2)).toEqual(["prompt 148", "prompt 149"]);
    expect(copyOf(record, "60", "b")?.heard.at(-1)).toBe("prompt 60");
    expect(copyOf(record, "40", "b")?.heard).toEqual([]);
    expect(copyOf(record, "151", "b")).toBeNull();
    expect(copyOf(record, "01", "b")).toBeNull();
  });

  it("is possible of a conversation from before turns were counted", async () => {
    const home = await emptyFolder();
    const { session } = await conversation(SIX, { home });
    await ask(session);
    await session.close();
    const [file = ""] = (await readdir(home)).filter((name) => name.endsWith(".json"));
    const { turns: _, ...older } = JSON.parse(await readFile(join(home, file), "utf8"));
    await writeFile(join(home, file), JSON.stringify(older));
    const forkOf = { session_id: session.id ?? "", turn_id: null };
    const copy = await conversation(SIX, { home, forkOf });
    expect(await ask(copy.session)).toMatchObject({ text: "2", turn_id: "1" });
  });
});

describe("exec", () => {
  it("leaves alone what a turn left running", async () => {
    const sleep = `sleep ${930_000_000 + process.pid}`;
    const { session } = await conversation([{ steps: [{ background: sleep }], answer: "left" }]);
    await ask(session);
    const { signal } = new AbortController();
    expect(await session.exec?.("echo probe", { signal, timeoutMs: 60_000 })).toEqual({
      exit_code: 0,
      output: "probe\n",
      timed_out: false,
    });
    expect(processesRunning(sleep)).not.toEqual([]);
  });
});
