import { describe, expect, it } from "vitest";
import type { AgentTraits, StagedFailure } from "./harness.ts";
import type { Subject } from "./subject.ts";

const FAILURES: readonly StagedFailure[] = [
  "agent_failed",
  "agent_unauthorized",
  "usage_limit",
  "rate_limited",
  "context_overflow",
];

/** Failures have codes, and the session outlives them. */
export function describeFailures(subject: Subject, { failures }: AgentTraits): void {
  describe("a turn that fails", () => {
    it("is agent_died when the agent's process ends, and the next turn works", async () => {
      const { session } = await subject.open();
      await subject.ask(session, "Noted.", "The word is heron.");
      const { id } = session;
      const turn = await subject.start(session, { end: "die" });
      await expect(turn.end).rejects.toMatchObject({ name: "LoopError", code: "agent_died" });
      expect(await subject.ask(session, "heron", "What was the word?")).toBe("heron");
      expect(session.id).toBe(id);
      expect(await subject.harness.seen()).toContain("The word is heron.");
    });

    it.each(FAILURES.filter((code) => failures.includes(code)))(
      "is %s, and the next turn works when the cause is gone",
      async (fail) => {
        const { session } = await subject.open();
        const turn = await subject.start(session, { end: { fail } });
        await expect(turn.end).rejects.toMatchObject({ name: "LoopError", code: fail });
        expect(await subject.ask(session, "back again")).toBe("back again");
      },
    );

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
