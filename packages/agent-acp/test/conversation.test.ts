import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, test } from "vitest";
import { fake, only, untilTrue, warnings } from "./fake.ts";

const HELPER = `sleep 7${process.pid}.5`;
const LEFT = `sleep 8${process.pid}.5`;
const edit = { path: "../outside.txt", content: "x" };

/** What the agent's process is known by. */
const agents = (it: { cwd: string }) => processesRunning(`${it.cwd}/.git/fake-acp`);

describe("what a turn started", { timeout: 60_000 }, () => {
  it("ends before the next prompt where it appeared behind the end of an aborted turn", async () => {
    await using it = await fake({ habits: ["spawns-late"] });
    const session = await it.open();
    const control = new AbortController();
    const running = it.run(session, { end: "hang" }, control.signal);
    await untilTrue(() => only(it, "message.delta").length === 1);
    control.abort("enough");
    await expect(running).rejects.toBe("enough");
    await writeFile(join(it.cwd, "go"), "");
    await untilTrue(() => processesRunning(HELPER).length === 1);
    await it.run(session, {});
    expect(processesRunning(HELPER)).toEqual([]);
    expect(agents(it)).toHaveLength(1);
  });

  it("is told from a helper that the agent started itself, which stays", async () => {
    await using it = await fake({ habits: ["helper"] });
    const session = await it.open();
    for (const command of [`${LEFT} & true`, "true"]) await it.run(session, { command });
    expect(processesRunning(HELPER)).toHaveLength(1);
    expect(processesRunning(LEFT)).toEqual([]);
    await session.close();
    expect(processesRunning(HELPER)).toEqual([]);
  });
});

describe("a conversation", { timeout: 60_000, concurrent: true }, () => {
  it("accepts nothing any more while a turn is cut off at one of our limits", async () => {
    await using it = await fake({ habits: ["asks-late"], limits: { silenceMs: 300 } });
    const running = it.run(await it.open(), { end: "hang" });
    await expect(running).rejects.toMatchObject({ code: "agent_timeout" });
    expect((await it.sent()).flatMap(({ chosen }) => chosen ?? [])).toEqual(["cancelled"]);
    expect(existsSync(join(it.cwd, "late.txt"))).toBe(false);
  });

  it("leaves no process where telling what happens fails while it is opened", async () => {
    await using it = await fake();
    const onEvent = () => {
      throw new Error("The log is full.");
    };
    await expect(it.open({ onEvent })).rejects.toThrow("The log is full.");
    expect(agents(it)).toEqual([]);
  });

  it("names the command that gives no sign of life", async () => {
    await using it = await fake({ limits: { commandMs: 300 } });
    await expect(it.run(await it.open(), { command: "sleep 30" })).rejects.toMatchObject({
      code: "agent_timeout",
      message: expect.stringContaining("What The fake runs (sleep 30) gave no sign of life"),
    });
  });

  it("is not given up where the agent cannot continue it for a while", async () => {
    await using it = await fake({ habits: ["busy"] });
    const session = await it.open();
    await expect(it.run(session, { end: "die" })).rejects.toMatchObject({ code: "agent_died" });
    await expect(it.run(session, {})).rejects.toMatchObject({
      code: "agent_failed",
      message: expect.stringContaining("Try again later."),
    });
    const begun = (await it.sent()).filter(({ method }) => method === "session/new");
    expect(begun).toHaveLength(1);
    expect(warnings(it)).toEqual([]);
  });

  it("says why a message does not reach a turn", async () => {
    await using it = await fake({ habits: ["steers", "steering-fails"] });
    const session = await it.open();
    const control = new AbortController();
    const running = it.run(session, { end: "hang" }, control.signal);
    await untilTrue(() => only(it, "message.delta").length === 1);
    await expect(session.steer("Faster.")).rejects.toMatchObject({
      code: "agent_failed",
      message: expect.stringContaining("The service is unavailable"),
    });
    control.abort("enough");
    await expect(running).rejects.toBe("enough");
    await expect(session.steer("Faster.")).rejects.toMatchObject({
      message: "No turn is under way that could be steered.",
    });
  });

  test("a first turn that fails does not count as told: the next prompt has the instructions as well", async () => {
    await using it = await fake();
    const session = await it.open();
    await expect(it.run(session, { end: "die" })).rejects.toMatchObject({ code: "agent_died" });
    for (const _ of [1, 2]) await it.run(session, {});
    const prompts = (await it.sent()).filter(({ method }) => method === "session/prompt");
    const texts = prompts.map(({ params }) => JSON.stringify(params?.prompt));
    expect(texts.map((text) => text.includes("Be brief."))).toEqual([true, true, false]);
  });

  it("tells the sum of what a turn used that took several prompts", async () => {
    await using it = await fake({ habits: ["refusal-ends"], profile: { usage: "turn" } });
    const tokens = { input: 10, output: 1 };
    const { usage } = await it.run(await it.open(), { edit, tokens });
    expect(usage).toMatchObject({ input_tokens: 60, output_tokens: 6 });
    const told = only(it, "usage.updated").map((event) => event.usage.total_tokens);
    expect(told).toEqual([11, 22, 33, 44, 55, 66]);
  });
});
