import { describe, expect, it } from "vitest";
import type { Subject } from "./subject.ts";

/** Conversations that outlive the process that began them. */
export function describeResume(subject: Subject): void {
  describe("open with a session id", () => {
    it("continues the conversation in another instance", async () => {
      const first = await subject.open();
      await subject.ask(first.session, "Noted.", "The word is heron.");
      const { id } = first.session;
      await first.session.close();

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
