import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AgentHarness, type AgentTraits, type Subject, setUpEach } from "./harness.ts";
import { describeAbortAndClose, describeExec } from "./processes.ts";
import { describeFailures, describeFork, describeResume } from "./sessions.ts";

/** The contract of core's Agent port, sentence by sentence. An agent is right when this passes. */
export function describeAgent(
  name: string,
  makeHarness: () => Promise<AgentHarness>,
  traits: AgentTraits,
): void {
  describe(`Agent contract: ${name}`, { timeout: traits.longestMs ?? 60_000 }, () => {
    const subject = setUpEach(makeHarness);
    describeConversation(subject, traits);
    describeResume(subject);
    describeFork(subject, traits);
    describeExec(subject, traits);
    describeAbortAndClose(subject, traits);
    describeFailures(subject, traits);
  });
}

/** Turns, their events and their results. */
export function describeConversation(
  subject: Subject,
  { reportsUsage, steers, tellsOutput, tellsExitCode }: AgentTraits,
): void {
  describe("a turn", () => {
    it("answers the final message verbatim", async () => {
      const { session } = await subject.open();
      const text = '{"status":"success","message":"Grüße 🎉"}\n\n```\n  kept $& $1 \\n\n```';
      expect(await subject.ask(session, text)).toBe(text);
    });

    it("tells the final message last, whole", async () => {
      const { session } = await subject.open();
      const turn = await subject.start(session, { end: { answer: "All done." } });
      await turn.end;
      const said = turn.events.filter((event) => event.type === "message.completed");
      expect(said.at(-1)).toEqual({ type: "message.completed", text: "All done." });
    });

    it("tells a command's start, output and exit code in this order", async () => {
      const { session } = await subject.open();
      const command = "echo to-stdout; echo to-stderr >&2; exit 3";
      const turn = await subject.start(session, { command, end: { answer: "ok" } });
      await turn.end;
      const types = turn.types();
      const order = [
        types.indexOf("command.started"),
        ...(tellsOutput === "never" ? [] : [types.indexOf("command.output")]),
        types.indexOf("command.completed"),
        types.lastIndexOf("message.completed"),
      ];
      expect(order).not.toContain(-1);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(await turn.first("command.completed")).toMatchObject({
        exit_code: tellsExitCode ? 3 : null,
      });
      if (tellsOutput === "never") return expect(types).not.toContain("command.output");
      const text = turn.events.map((e) => (e.type === "command.output" ? e.text : "")).join("");
      expect(text).toContain("to-stdout");
      expect(text).toContain("to-stderr");
    });

    it("runs commands in the project", async () => {
      const { session } = await subject.open();
      const command = "echo from-the-command > here.txt";
      await (await subject.start(session, { command, end: { answer: "ok" } })).end;
      expect(await readFile(join(subject.harness.cwd, "here.txt"), "utf8")).toBe(
        "from-the-command\n",
      );
    });

    it("edits files and names them", async () => {
      const { session } = await subject.open();
      const edit = { path: "greeting.txt", content: "Hello,\nworld.\n" };
      const turn = await subject.start(session, { edit, end: { answer: "ok" } });
      await turn.end;
      expect(await readFile(join(subject.harness.cwd, edit.path), "utf8")).toBe(edit.content);
      const { paths } = await turn.first("files.changed");
      expect(paths.some((path) => path.endsWith(edit.path))).toBe(true);
    });

    it("costs what it costs, not what the conversation cost so far", async () => {
      const { session } = await subject.open();
      const tokens = { input: 120, output: 30 };
      for (const answer of ["first", "second"]) {
        const turn = await subject.start(session, { end: { answer }, tokens });
        const { usage } = await turn.end;
        if (reportsUsage) {
          expect(usage).toMatchObject({ input_tokens: 120, output_tokens: 30, total_tokens: 150 });
        } else {
          expect(usage).toBeNull();
        }
      }
    });
  });

  describe("a conversation", () => {
    it("tells its id, which stays the same from turn to turn", async () => {
      const { session, heard } = await subject.open();
      const turn = await subject.start(session, { end: { answer: "one" } });
      expect((await turn.end).text).toBe("one");
      const told = [...heard.events, ...turn.events].filter((e) => e.type === "session.started");
      expect(told).toEqual([{ type: "session.started", session_id: session.id }]);
      expect(session.id).toBeTruthy();
      const { id } = session;
      expect(await subject.ask(session, "two")).toBe("two");
      expect(session.id).toBe(id);
    });

    it("remembers its earlier turns", async () => {
      const { session } = await subject.open();
      await subject.ask(session, "Noted.", "The word is heron.");
      await subject.ask(session, "Yes.", "Still there?");
      expect(await subject.harness.seen()).toContain("The word is heron.");
      expect(await subject.harness.seen()).toContain("Still there?");
    });

    it("is another one for every open without an id", async () => {
      const [one, two] = [await subject.open(), await subject.open()];
      await subject.ask(one.session, "one");
      await subject.ask(two.session, "two");
      expect(one.session.id).not.toBe(two.session.id);
    });

    it("has one turn at a time: a second one is refused and does not disturb the first", async () => {
      const { session } = await subject.open();
      const command = "until [ -e go ]; do sleep 0.02; done";
      const turn = await subject.start(session, { command, end: { answer: "first" } });
      await turn.first("command.started");
      const second = session.run("And this?", { signal: new AbortController().signal });
      await expect(second).rejects.toMatchObject({ code: "invalid_input" });
      await writeFile(join(subject.harness.cwd, "go"), "");
      expect((await turn.end).text).toBe("first");
    });
  });

  describe("steer", () => {
    it.runIf(!steers)("is refused during a turn that takes no message, which goes on", async () => {
      const { session } = await subject.open();
      const command = "until [ -e go ]; do sleep 0.02; done";
      const turn = await subject.start(session, { command, end: { answer: "ok" } });
      await turn.first("command.started");
      await expect(session.steer("now")).rejects.toMatchObject({ code: "invalid_input" });
      await writeFile(join(subject.harness.cwd, "go"), "");
      expect((await turn.end).text).toBe("ok");
    });

    it.runIf(steers)("reaches a turn that is under way", async () => {
      const { session } = await subject.open();
      const command = "until [ -e go ]; do sleep 0.02; done";
      const turn = await subject.start(session, { command, end: { answer: "ok" } });
      await turn.first("command.started");
      await session.steer("Keep it short.");
      await writeFile(join(subject.harness.cwd, "go"), "");
      expect((await turn.end).text).toBe("ok");
      expect(await subject.harness.seen()).toContain("Keep it short.");
    });

    it("is refused before, between and after turns", async () => {
      const { session } = await subject.open();
      await expect(session.steer("now")).rejects.toMatchObject({ code: "invalid_input" });
      await subject.ask(session, "ok");
      await expect(session.steer("now")).rejects.toMatchObject({ code: "invalid_input" });
    });
  });

  describe("check", () => {
    it("says that the agent can work here", async () => {
      const { cwd } = subject.harness;
      expect(await subject.harness.agent().check(cwd)).toMatchObject({ ok: true, problems: [] });
    });
  });
}
