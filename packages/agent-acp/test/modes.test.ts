import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, test } from "vitest";
import { fake, only, untilTrue, warnings } from "./fake.ts";

const choices = ["session/set_mode", "session/set_config_option"];

describe("the mode of a session", { timeout: 60_000, concurrent: true }, () => {
  test.each([
    ["in a turn", ["leaves-mode"], { modeId: "default" }],
    ["between turns", ["leaves-mode-later"], { modeId: "default" }],
    ["by an option", ["leaves-mode", "config-modes"], { configId: "how", value: "default" }],
  ])("is put back when the agent leaves it %s", async (_, habits, params) => {
    await using it = await fake({ habits: ["starts-auto", ...habits] });
    await it.run(await it.open(), { command: "true" });
    await untilTrue(() => warnings(it).length === 1);
    expect(warnings(it)).toEqual([expect.stringContaining("mode yolo, and is put back")]);
    const session = await it.open();
    await it.run(session, {});
    const chosen = (await it.sent()).filter(({ method = "" }) => choices.includes(method));
    expect(chosen.length).toBeGreaterThanOrEqual(3);
    for (const one of chosen) expect(one.params).toMatchObject(params);
  });

  it("is not left: an agent that cannot be put back is ended, and the next turn begins anew", async () => {
    await using it = await fake({ habits: ["starts-auto", "leaves-mode-later", "stays-away"] });
    const session = await it.open();
    await it.run(session, {});
    await untilTrue(() => processesRunning(`${it.cwd}/.git/fake-acp`).length === 0);
    expect(warnings(it).at(-1)).toContain("cannot be put back, and is ended");
    expect((await it.run(session, {})).text).toBe("Done.");
    expect(only(it, "session.resumed")).toHaveLength(1);
  });

  it("is looked at also where the agent told none when it was opened", async () => {
    await using it = await fake({ habits: ["no-modes", "leaves-mode"], profile: { mode: null } });
    const running = it.run(await it.open(), { end: "hang" });
    await expect(running).rejects.toMatchObject({ code: "agent_died" });
    expect(warnings(it)).toEqual([expect.stringContaining("went over to another mode")]);
  });

  it("is set also where the agent does not tell its modes", async () => {
    await using it = await fake({ habits: ["no-modes"] });
    await it.open();
    const params = expect.objectContaining({ modeId: "default" });
    expect(await it.sent()).toContainEqual({ method: "session/set_mode", params });
  });

  test.each([
    ["refuses-modes", "does not take the mode default"],
    ["allows-all", "with its option allow_all it may write and run without asking"],
  ])("keeps an agent from being used: %s", async (habit, words) => {
    await using it = await fake({ habits: ["no-modes", habit] });
    await expect(it.open()).rejects.toMatchObject({
      code: "agent_misconfigured",
      message: expect.stringContaining(words),
    });
    expect(processesRunning(`${it.cwd}/.git/fake-acp`)).toEqual([]);
  });
});
