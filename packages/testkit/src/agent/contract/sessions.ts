import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSession, TurnEvent } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import type { AgentTraits, Subject } from "./harness.ts";

/** Conversations that outlive the process that began them. */
export function describeResume(subject: Subject): void {
  describe("open with a session id", () => {
    it("continues the conversation in another instance", async () => {
      const first = await subject.open();
      await subject.ask(first.session, "Noted.", "The word is heron.");
      const { id } = first.session;
      await first.session.close();
      await subject.harness.untilResumable?.();

      const second = await subject.open({ sessionId: id });
      expect(await subject.ask(second.session, "heron", "What was the word?")).toBe("heron");
      expect(second.session.id).toBe(id);
      expect(await subject.harness.seen()).toContain("The word is heron.");
    });

    it("tells that it resumed", async () => {
      const first = await subject.open();
      await subject.ask(first.session, "Noted.");
      const session_id = first.session.id;
      await first.session.close();
      await subject.harness.untilResumable?.();

      const { session, heard } = await subject.open({ sessionId: session_id });
      const turn = await subject.start(session, { end: { answer: "ok" } });
      await turn.end;
      const told = [...heard.events, ...turn.events].filter((e) => e.type.startsWith("session."));
      expect(told).toEqual([{ type: "session.resumed", session_id }]);
    });

    it.each(["0199a213-81c0-7800-8aa1-bbab2a035a53", "no such session", "../../escape", ""])(
      "begins anew when there is no session %j",
      async (sessionId) => {
        const { session, heard } = await subject.open({ sessionId });
        const turn = await subject.start(session, { end: { answer: "hello" } });
        expect((await turn.end).text).toBe("hello");
        expect(session.id).not.toBe(sessionId);
        const told = [...heard.events, ...turn.events].filter((e) => e.type.startsWith("session."));
        expect(told).toEqual([{ type: "session.started", session_id: session.id }]);
      },
    );
  });
}

const NOWHERE = "0199a213-81c0-7800-8aa1-bbab2a035a53";

/** Conversations that begin as copies of others. */
export function describeFork(subject: Subject, { forks }: AgentTraits): void {
  async function turnOf(session: AgentSession, prompt: string): Promise<string> {
    const turn = await subject.start(session, { end: { answer: "Noted." } }, prompt);
    return (await turn.end).turn_id ?? "";
  }

  describe("open with a fork", () => {
    it.runIf(forks)("names every turn, and copies the conversation up to one of them", async () => {
      const { session: original } = await subject.open();
      const prompts = ["The word is heron.", "The number is seven.", "The colour is blue."];
      const turns: string[] = [];
      for (const prompt of prompts) turns.push(await turnOf(original, prompt));
      expect(turns).not.toContain("");
      expect(new Set(turns).size).toBe(3);

      const cwd = join(subject.harness.cwd, "elsewhere");
      await mkdir(cwd);
      const forkOf = { session_id: original.id ?? "", turn_id: turns[1] ?? "" };
      const { session: copy, heard } = await subject.open({ cwd, forkOf });
      const command = "echo here > made-by-the-copy.txt";
      const turn = await subject.start(copy, { command, end: { answer: "ok" } }, "Fork ahead.");
      await turn.end;

      const told = [...heard.events, ...turn.events].filter(isAboutTheSession);
      expect(told).toEqual([{ type: "session.started", session_id: copy.id }]);
      expect(copy.id).not.toBe(original.id);
      expect(await readFile(join(cwd, "made-by-the-copy.txt"), "utf8")).toBe("here\n");
      const copied = await subject.harness.seen();
      for (const prompt of prompts.slice(0, 2)) expect(copied).toContain(prompt);
      expect(copied).not.toContain("The colour is blue.");

      turns.push(await turnOf(original, "Stay on course."));
      expect(new Set(turns).size).toBe(4);
      const kept = await subject.harness.seen();
      for (const prompt of prompts) expect(kept).toContain(prompt);
      expect(kept).not.toContain("Fork ahead.");
    });

    it.runIf(forks)("copies all of it when no turn is named", async () => {
      const { session: original } = await subject.open();
      await turnOf(original, "The word is heron.");
      await turnOf(original, "The number is seven.");
      await original.close();
      const forkOf = { session_id: original.id ?? "", turn_id: null };
      const { session: copy } = await subject.open({ forkOf });
      expect(await subject.ask(copy, "seven", "Which number?")).toBe("seven");
      expect(await subject.harness.seen()).toContain("The number is seven.");
    });

    it("begins anew, with a warning, when there is no such conversation", async () => {
      const forkOf = { session_id: NOWHERE, turn_id: null };
      const { session, heard } = await subject.open({ forkOf });
      const turn = await subject.start(session, { end: { answer: "hello" } });
      expect((await turn.end).text).toBe("hello");
      expect(session.id).not.toBe(NOWHERE);
      expect(heard.events).toContainEqual({
        type: "warning.raised",
        message: expect.stringContaining(NOWHERE),
      });
      const told = [...heard.events, ...turn.events].filter(isAboutTheSession);
      expect(told).toEqual([{ type: "session.started", session_id: session.id }]);
    });

    it.runIf(forks)("begins anew, with a warning, when it has no such turn", async () => {
      const { session: original } = await subject.open();
      await turnOf(original, "The word is heron.");
      const forkOf = { session_id: original.id ?? "", turn_id: NOWHERE };
      const { session, heard } = await subject.open({ forkOf });
      await subject.ask(session, "hello");
      expect(heard.types()).toContain("warning.raised");
      expect(session.id).not.toBe(original.id);
      expect(await subject.harness.seen()).not.toContain("heron");
    });
  });
}

function isAboutTheSession({ type }: TurnEvent): boolean {
  return type.startsWith("session.");
}

/** Failures have codes, and the session outlives them. */
export function describeFailures(subject: Subject, { failures }: AgentTraits): void {
  describe("a turn that fails", () => {
    it("is agent_died when the agent's process ends, and the next turn works", async () => {
      const { session } = await subject.open();
      await subject.ask(session, "Noted.", "The word is heron.");
      const { id } = session;
      const turn = await subject.start(session, { end: "die" });
      await expect(turn.end).rejects.toMatchObject({ name: "LoopError", code: "agent_died" });
      await subject.harness.untilResumable?.();
      expect(await subject.ask(session, "heron", "What was the word?")).toBe("heron");
      expect(session.id).toBe(id);
      expect(await subject.harness.seen()).toContain("The word is heron.");
    });

    it.each(failures)("is %s, and the next turn works when the cause is gone", async (fail) => {
      const { session } = await subject.open();
      const turn = await subject.start(session, { end: { fail } });
      await expect(turn.end).rejects.toMatchObject({ name: "LoopError", code: fail });
      expect(await subject.ask(session, "back again")).toBe("back again");
    });

    it.runIf(failures.includes("usage_limit"))("tells when a usage limit ends", async () => {
      const { session } = await subject.open();
      const resetsAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
      const turn = await subject.start(session, { end: { fail: "usage_limit", resetsAt } });
      const error: unknown = await turn.end.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "usage_limit" });
      expect(error).toHaveProperty("details.resets_at", resetsAt.toISOString());
    });
  });
}
