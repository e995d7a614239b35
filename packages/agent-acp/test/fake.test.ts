import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, test } from "vitest";
import { acpAgent, commandProfile, PROFILES } from "../src/index.ts";
import { fake, only, untilTrue, warnings } from "./fake.ts";

const edit = { path: "a.txt", content: "x" };

describe("acpAgent on a program that speaks the protocol", {
  timeout: 60_000,
  concurrent: true,
}, () => {
  it("offers neither files nor terminals, and asks for typed failures", async () => {
    await using it = await fake({ habits: ["asks-for-files"] });
    await it.run(await it.open(), {});
    const [first] = await it.sent();
    expect(first?.params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        session: { compaction: {}, notices: {} },
        _meta: {
          jetbrains: { air: { version: 1, capabilities: ["sessionFailure"] } },
          terminal_output_delta: true,
        },
      },
    });
    expect(only(it, "approval.answered")).toEqual([
      { type: "approval.answered", request: "fs/read_text_file", decision: "refuse" },
    ]);
  });

  it("allows once what stays in the project, and never for longer", async () => {
    await using it = await fake();
    await it.run(await it.open(), { edit, command: "true" });
    expect((await it.sent()).flatMap(({ chosen }) => chosen ?? [])).toEqual([
      "allow_once",
      "allow_once",
    ]);
    expect(existsSync(join(it.cwd, edit.path))).toBe(true);
  });

  it("declines what leaves the project; the turn goes on", async () => {
    await using it = await fake();
    const outside = { path: "../outside.txt", content: "x" };
    const { text } = await it.run(await it.open(), { edit: outside, command: "rm -rf /nowhere/x" });
    expect(text).toBe("Done.");
    expect((await it.sent()).flatMap(({ chosen }) => chosen ?? [])).toEqual([
      "reject_once",
      "reject_once",
    ]);
    expect(only(it, "approval.answered").map(({ decision }) => decision)).toEqual([
      "decline",
      "decline",
    ]);
    expect(existsSync(join(it.cwd, "../outside.txt"))).toBe(false);
  });

  it("answers nothing where every option would hold for later questions", async () => {
    await using it = await fake({ habits: ["always-only"] });
    await it.run(await it.open(), { edit });
    expect((await it.sent()).flatMap(({ chosen }) => chosen ?? [])).toEqual(["cancelled"]);
    expect(warnings(it)).toEqual([expect.stringContaining("no way to accept once")]);
    expect(existsSync(join(it.cwd, edit.path))).toBe(false);
  });

  it("asks an agent to go on whose turn ends at a declined question, within a bound", async () => {
    await using it = await fake({ habits: ["refusal-ends"] });
    const outside = { path: "../outside.txt", content: "x" };
    expect((await it.run(await it.open(), { edit: outside })).text).toBe("");
    const prompts = (await it.sent()).filter(({ method }) => method === "session/prompt");
    expect(prompts).toHaveLength(6);
    expect(JSON.stringify(prompts[1]?.params)).toContain("is not a file to change");
    expect(only(it, "turn.retried").map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  });

  test.each([
    ["starts-auto", "session/set_mode", { modeId: "default" }],
    ["config-modes", "session/set_config_option", { configId: "how", value: "default" }],
  ])("sets the mode that asks: %s", async (habit, method, params) => {
    await using it = await fake({ habits: [habit] });
    await it.open();
    expect(await it.sent()).toContainEqual({ method, params: expect.objectContaining(params) });
  });

  test.each([
    ["a mode that it does not have", "careful", "has no mode careful; there are default, auto"],
    ["a mode that asks nobody", "yolo", "it may write and run without asking"],
    ["its own start mode, which asks nobody", null, "in the mode auto it may write"],
  ])("is not used in %s", async (_, mode, words) => {
    await using it = await fake({ habits: ["starts-auto"], profile: { mode } });
    await expect(it.open()).rejects.toMatchObject({
      code: "agent_misconfigured",
      message: expect.stringContaining(words),
    });
    expect(processesRunning(it.cwd)).toEqual([]);
  });

  it("ends silence, and the next turn works", async () => {
    await using it = await fake({ limits: { silenceMs: 1000 } });
    const session = await it.open();
    const hanging = it.run(session, { end: "hang" });
    await expect(hanging).rejects.toMatchObject({
      code: "agent_timeout",
      message: expect.stringContaining("no sign of life within 1 s"),
    });
    expect((await it.run(session, {})).text).toBe("Done.");
    expect((await it.sent()).filter(({ method }) => method === "initialize")).toHaveLength(1);
  });

  it("takes no silence for hung while a command is at work", async () => {
    await using it = await fake({ limits: { silenceMs: 300, commandMs: 30_000 } });
    expect((await it.run(await it.open(), { command: "sleep 1" })).text).toBe("Done.");
  });

  it("ends an agent that does not obey a cancel, and continues its session", async () => {
    await using it = await fake({
      habits: ["deaf"],
      limits: { cancelMs: 100, cancelEndMs: 300 },
    });
    const session = await it.open();
    const { id } = session;
    const control = new AbortController();
    const running = it.run(session, { end: "hang" }, control.signal);
    await untilTrue(() => only(it, "message.delta").length === 1);
    const reason = { paused: true };
    control.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(processesRunning(`${it.cwd}/.git/fake-acp`)).toEqual([]);
    expect((await it.run(session, {})).text).toBe("Done.");
    expect(session.id).toBe(id);
    expect(only(it, "session.resumed")).toHaveLength(1);
  });

  it("takes no history for an answer that is told again behind the answer to session/load", async () => {
    await using it = await fake({ habits: ["loads", "replays-late"] });
    const session = await it.open();
    await it.run(session, { end: { answer: "First." } });
    await expect(it.run(session, { end: "die" })).rejects.toMatchObject({ code: "agent_died" });
    expect((await it.run(session, { end: { answer: "Back." } })).text).toBe("Back.");
    expect(only(it, "session.resumed")).toHaveLength(1);
  });

  it("ends what a finished turn left running, and the agent stays", async () => {
    await using it = await fake();
    const session = await it.open();
    const sleep = `sleep 4${process.pid}.25`;
    await it.run(session, { command: `${sleep} > /dev/null 2>&1 & echo left` });
    expect(processesRunning(sleep)).toEqual([]);
    await it.run(session, {});
    expect((await it.sent()).filter(({ method }) => method === "initialize")).toHaveLength(1);
  });

  it("copies a whole conversation where the agent can, and says so where it cannot", async () => {
    await using it = await fake({ habits: ["forks"] });
    const original = await it.open();
    await it.run(original, {});
    const session_id = original.id ?? "";
    const copy = await it.open({ forkOf: { session_id, turn_id: null } });
    expect(copy.id).not.toBe(session_id);
    expect(warnings(it)).toEqual([]);
    await it.run(copy, {});
    await it.open({ forkOf: { session_id, turn_id: "turn-1" } });
    expect(warnings(it)).toEqual([expect.stringContaining("copies whole sessions alone")]);
  });

  it("tells its instructions with the first prompt, and again when the conversation was made shorter", async () => {
    await using it = await fake({ habits: ["compacts"] });
    const session = await it.open();
    for (const _ of [1, 2]) await it.run(session, { command: "true" });
    const prompts = (await it.sent()).filter(({ method }) => method === "session/prompt");
    const texts = prompts.map(({ params }) => JSON.stringify(params?.prompt));
    expect(texts.map((text) => text.includes("Be brief."))).toEqual([true, true]);
    expect(only(it, "context.compacted")).toHaveLength(2);
  });

  it("tells its instructions once, and as a system prompt where it can", async () => {
    await using plain = await fake();
    const session = await plain.open();
    for (const _ of [1, 2]) await plain.run(session, {});
    const told = JSON.stringify(await plain.sent()).split("Be brief.").length - 1;
    expect(told).toBe(1);
    await using other = await fake({ habits: ["system-prompt"] });
    await other.run(await other.open(), {});
    const opened = (await other.sent()).find(({ method }) => method === "session/new");
    expect(opened?.params).toMatchObject({
      systemPrompt: { mode: "append", content: [{ type: "text", text: "Be brief." }] },
    });
  });

  it("keeps nothing of a flood of thoughts and plans", async () => {
    await using it = await fake({ habits: ["flood"] });
    expect((await it.run(await it.open(), {})).text).toBe("Done.");
    expect(it.events.length).toBeLessThan(10);
  });

  it("says once that it prints what is no message", async () => {
    await using it = await fake({ habits: ["noise"] });
    const session = await it.open();
    for (const _ of [1, 2]) await it.run(session, {});
    expect(warnings(it)).toEqual([expect.stringContaining("Loading…")]);
  });

  it("says a message with the next prompt that was not read before the turn ended", async () => {
    await using it = await fake({ profile: { fetchesMessages: true } });
    const session = await it.open();
    const running = it.run(session, { command: "until [ -e go ]; do sleep 0.02; done" });
    await untilTrue(() => only(it, "command.started").length === 1);
    await session.steer("Too late.");
    await writeFile(join(it.cwd, "go"), "");
    await running;
    expect(warnings(it)).toEqual([expect.stringContaining("before it read what was said")]);
    await it.run(session, {});
    const prompts = (await it.sent()).filter(({ method }) => method === "session/prompt");
    expect(prompts.at(-1)?.params?.prompt).toEqual([{ type: "text", text: "Too late.\n\nGo on." }]);
  });

  test.each([
    ["no-login", "agent_unauthorized", "Log in to it"],
    ["bad-id", "agent_unavailable", '"../escape"'],
    ["version-2", "agent_unavailable", "speaks version 2"],
    ["mute", "agent_unavailable", "did not answer initialize"],
  ])("opening with %s: %s", async (habit, code, words) => {
    const limits = habit === "mute" ? { initializeMs: 1500 } : {};
    await using it = await fake({ habits: [habit], limits });
    await expect(it.open()).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
    expect(processesRunning(`${it.cwd}/.git/fake-acp`)).toEqual([]);
  });

  it("while it opens: an abort ends it and rejects with the reason", async () => {
    await using it = await fake({ habits: ["mute"] });
    const control = new AbortController();
    const opening = it.open({ signal: control.signal });
    opening.catch(() => undefined);
    await untilTrue(() => processesRunning(`${it.cwd}/.git/fake-acp`).length === 1);
    const reason = { stopped: true };
    control.abort(reason);
    await expect(opening).rejects.toBe(reason);
    expect(processesRunning(`${it.cwd}/.git/fake-acp`)).toEqual([]);
  });

  test.each([
    [false, "Nothing but its own questions in its mode default keeps its commands in the project"],
    [true, "Its own sandbox in its mode default keeps its commands in the project"],
  ])("a check tells what confines it; a sandbox of its own: %s", async (ownSandbox, words) => {
    await using it = await fake({ profile: { ownSandbox } });
    const { notes } = await it.agent.check(it.cwd);
    const note = notes.find((one) => one.includes("not contained"));
    expect(note).toContain(words);
    expect(note).toContain("read what you can read, the keys in the configuration");
  });

  it("a check tells its version and what it lacks, and leaves no process", async () => {
    await using it = await fake({ habits: ["forgets"] });
    expect(await it.agent.check(it.cwd)).toMatchObject({
      ...{ ok: true, version: "1.2.3", problems: [] },
      notes: expect.arrayContaining([
        "The fake cannot be steered during a turn, nor continue a session after it ended, nor tell what a turn used.",
      ]),
    });
    expect(processesRunning(`${it.cwd}/.git/fake-acp`)).toEqual([]);
  });

  test.each([
    [PROFILES.gemini, 'no gemini on PATH. Install it with "npm install -g @google/gemini-cli".'],
    [
      commandProfile("mine", { command: ["/no/such/agent"] }),
      "/no/such/agent is no program. Correct its command.",
    ],
  ])("a check of one that is not there names what helps", async (profile, words) => {
    const agent = acpAgent({ profile, env: { PATH: "/nowhere" } });
    expect(await agent.check(process.cwd())).toMatchObject({
      ok: false,
      problems: [{ code: "agent_unavailable", message: expect.stringContaining(words) }],
    });
  });

  test("one that is installed in the project alone is not taken from there, and a check says so", async () => {
    await using it = await fake({ habits: [] });
    const folder = join(it.cwd, "node_modules", ".bin");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "gemini"), "#!/bin/sh\n", { mode: 0o755 });
    const agent = acpAgent({ profile: PROFILES.gemini, env: { PATH: "/nowhere" } });
    const [problem] = (await agent.check(it.cwd)).problems;
    expect(problem?.message).toContain("the one in this project is not taken");
  });
});
