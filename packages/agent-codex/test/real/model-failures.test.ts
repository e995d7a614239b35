/** @module-tag slow */
import { message, quotaUsedUp, runCommand } from "@ccw-loop/testkit";
import { describe, expect, it } from "vitest";
import { only, stage, withCodex } from "../harness.ts";

const OK = { items: [message("done")] };
/** Nothing listens there. A port that was closed a moment ago may be somebody else's by now. */
const REFUSING = ['model_providers.scripted.base_url="http://127.0.0.1:9/v1"'];
const TOO_LONG = { failed: { code: "context_length_exceeded", message: "too long" } };

describe.runIf(withCodex)(
  "when the model's side fails",
  { timeout: 60_000, concurrent: true },
  () => {
    it("429 without Retry-After: waits, takes the turn back and sends it again", async () => {
      await using it = await stage({ script: [{ status: 429 }, { status: 429 }, OK] });
      const result = await it.run(await it.open(), "hurry");

      expect(result.text).toBe("done");
      expect(only(it.events, "turn.retried").map((e) => e.attempt)).toEqual([1, 2]);
      expect(it.model.requests.at(-1)?.userTexts).toEqual(["hurry"]);
    });

    it("429 with Retry-After: Codex waits by itself, and we let it", async () => {
      await using it = await stage({
        home: { streamRetries: 2 },
        script: [{ status: 429, headers: { "retry-after": "1" } }, OK],
      });
      const result = await it.run(await it.open(), "hurry");

      expect(result.text).toBe("done");
      expect(only(it.events, "turn.retried")).toEqual([]);
      expect(only(it.events, "warning.raised")[0]?.message).toContain("429");
    });

    it("429 for ever: rate_limited after so many retries", async () => {
      await using it = await stage({
        limits: { rateLimitRetries: 2 },
        script: () => ({ status: 429 }),
      });
      const failed = it.run(await it.open(), "hurry");
      await expect(failed).rejects.toMatchObject({ code: "rate_limited" });
      expect(it.model.requests).toHaveLength(3);
    });

    it("a Retry-After that is too long is not waited for", async () => {
      await using it = await stage({
        home: { streamRetries: 2 },
        limits: { networkMs: 300 },
        script: [{ status: 429, headers: { "retry-after": "3600" } }, OK],
      });
      const session = await it.open();
      await expect(it.run(session, "hurry")).rejects.toMatchObject({ code: "rate_limited" });
      expect((await it.run(session, "later")).text).toBe("done");
    });

    it("a failure after some work is not answered by doing the work twice", async () => {
      await using it = await stage({
        script: [{ items: [runCommand("echo once >> log.txt")] }, { status: 429 }, OK],
      });
      expect((await it.run(await it.open(), "log it")).text).toBe("done");
      const told = it.model.requests.at(-1)?.userTexts ?? [];
      expect(told[0]).toBe("log it");
      expect(told[1]).toMatch(/cut off \(.*429.*do nothing twice/s);
      expect(it.model.requests.at(-1)?.toolOutputs).toHaveLength(1);
    });

    it("a usage limit tells when it resets", async () => {
      const resetsAt = new Date("2033-05-18T03:33:20.000Z");
      await using it = await stage({ script: [quotaUsedUp(resetsAt), OK] });
      const session = await it.open();
      const resets_at = resetsAt.toISOString();
      await expect(it.run(session, "work")).rejects.toMatchObject({
        code: "usage_limit",
        message: expect.stringContaining(resets_at),
        details: { resets_at },
      });
      expect(only(it.events, "limits.updated").at(-1)?.limits).toEqual({
        used_percent: 100,
        resets_at,
      });
      expect((await it.run(session, "work")).text).toBe("done");
      expect(it.model.requests[1]?.userTexts).toEqual(["work"]);
    });

    it("HTTP 500: retries, then goes on", async () => {
      await using it = await stage({ script: [{ status: 500 }, { status: 500 }, OK] });
      expect((await it.run(await it.open(), "work")).text).toBe("done");
      expect(only(it.events, "turn.retried")).toHaveLength(2);
    });

    it("a stream that is cut is asked for again", async () => {
      await using it = await stage({
        script: [{ items: [message("half an ans")], cutAfter: 3 }, OK],
      });
      expect((await it.run(await it.open(), "work")).text).toBe("done");
      expect(only(it.events, "turn.retried")[0]?.reason).toContain("stream disconnected");
    });

    it("a stream that ends early is asked for again", async () => {
      await using it = await stage({
        script: [{ items: [message("half")], endEarlyAfter: 2 }, OK],
      });
      expect((await it.run(await it.open(), "work")).text).toBe("done");
    });

    it("an answer that was too long for the model is asked for again, once", async () => {
      await using it = await stage({
        script: () => ({ items: [message("half")], incomplete: "max_output_tokens" }),
      });
      const failed = it.run(await it.open(), "work");
      await expect(failed).rejects.toMatchObject({ code: "agent_failed" });
      expect(it.model.requests).toHaveLength(2);
    });

    it("a server that never answers: agent_timeout", async () => {
      await using it = await stage({ limits: { silenceMs: 1500 }, script: [{ hang: true }, OK] });
      const session = await it.open();
      await expect(it.run(session, "work")).rejects.toMatchObject({
        code: "agent_timeout",
        details: { failure: "silence" },
      });
      expect((await it.run(session, "work")).text).toBe("done");
      expect(it.model.requests[1]?.userTexts).toEqual(["work"]);
    });

    it("a command that gives no sign of life: agent_timeout, and no silence alarm before", async () => {
      await using it = await stage({
        limits: { silenceMs: 1500, commandMs: 2500 },
        script: [{ items: [runCommand("sleep 600")] }],
      });
      await expect(it.run(await it.open(), "work")).rejects.toMatchObject({
        code: "agent_timeout",
        details: { failure: "command" },
      });
    });

    it("a refused connection: retries, then agent_failed", async () => {
      await using it = await stage({ config: REFUSING, limits: { retries: 1 }, script: [] });
      const session = await it.open();
      await expect(it.run(session, "work")).rejects.toMatchObject({ code: "agent_failed" });
      expect(only(it.events, "turn.retried")).toHaveLength(1);
    });

    it("a network that stays away: Codex's own retries are cut short", async () => {
      await using it = await stage({
        config: REFUSING,
        home: { streamRetries: 100 },
        limits: { networkMs: 500, retries: 0 },
        script: [],
      });
      const session = await it.open();
      await expect(it.run(session, "work")).rejects.toMatchObject({
        code: "agent_failed",
        message: expect.stringMatching(/^Codex has been reconnecting for .* without success: /),
      });
    });

    it("context overflow: compacts, and sends the prompt again", async () => {
      await using it = await stage({
        script: [{ items: [message("one")] }, TOO_LONG, { items: [message("SUMMARY")] }, OK],
      });
      const session = await it.open();
      await it.run(session, "first");
      expect((await it.run(session, "second")).text).toBe("done");
      expect(only(it.events, "context.compacted")).toHaveLength(1);
      const told = it.model.requests.at(-1)?.userTexts ?? [];
      expect(told.filter((text) => text === "second")).toHaveLength(1);
      expect(told.join()).toContain("SUMMARY");
    });

    it("HTTP 401: agent_unauthorized at once", async () => {
      await using it = await stage({
        home: { streamRetries: 5 },
        script: () => ({ status: 401, body: { error: { message: "bad key" } } }),
      });
      await expect(it.run(await it.open(), "work")).rejects.toMatchObject({
        code: "agent_unauthorized",
        message: expect.stringContaining("bad key"),
      });
      expect(only(it.events, "turn.retried")).toEqual([]);
      expect(it.model.requests.length).toBeLessThan(6);
    });

    it("an unknown model: agent_misconfigured at once", async () => {
      const body = { error: { message: "no such model", code: "model_not_found" } };
      await using it = await stage({ script: () => ({ status: 404, body }) });
      const failed = it.run(await it.open(), "work");
      await expect(failed).rejects.toMatchObject({ code: "agent_misconfigured" });
      expect(it.model.requests).toHaveLength(1);
    });

    it("counts the tokens of a turn that was taken back", async () => {
      const paid = { items: [runCommand("true")], usage: { input: 1000, output: 10 } };
      await using it = await stage({
        script: [OK, paid, { status: 429 }, OK],
      });
      const session = await it.open();
      await it.run(session, "first");
      const result = await it.run(session, "second");
      expect(result.usage?.total_tokens).toBe(1010 + 120);
    });
  },
);
