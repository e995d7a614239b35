import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSession, TurnEvent } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import type { AgentTraits } from "./harness.ts";
import type { Subject } from "./subject.ts";

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
