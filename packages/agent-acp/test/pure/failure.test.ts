import type { ErrorCode } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { classifyRefusal, failureOfEnd, loopErrorOf } from "../../src/failure/failure.ts";
import { resetTimeIn } from "../../src/failure/reset-time.ts";
import { PROFILES, type ProfileName } from "../../src/index.ts";

const gemini = PROFILES.gemini;

test.each<[string, { code: number; message: string; data?: unknown }, ErrorCode]>([
  [
    "gemini 401",
    { code: 401, message: '{"error":{"message":"Invalid API key"}}' },
    "agent_unauthorized",
  ],
  [
    "gemini 400",
    {
      code: 400,
      message: "This model's maximum context length is 1000 tokens. prompt is too long",
    },
    "context_overflow",
  ],
  ["a code of HTTP alone", { code: 429, message: "Slow down" }, "rate_limited"],
  ["a server's", { code: 503, message: "Sorry" }, "agent_failed"],
  [
    "qwen 401",
    { code: -32603, message: "Internal error", data: { details: "401 Invalid API key" } },
    "agent_unauthorized",
  ],
  [
    "qwen 400",
    { code: -32603, message: "Internal error", data: { details: "400 maximum context length" } },
    "context_overflow",
  ],
  ["no login", { code: -32000, message: "Authentication required" }, "agent_unauthorized"],
  [
    "claude",
    {
      code: -32603,
      message: "Internal error: Prompt is too long",
      data: { errorKind: "invalid_request" },
    },
    "context_overflow",
  ],
  [
    "codex",
    { code: -32603, message: "Internal error", data: { codexErrorInfo: "usageLimitExceeded" } },
    "usage_limit",
  ],
  [
    "a request",
    { code: -32602, message: "invalid_request_error: no such field" },
    "agent_misconfigured",
  ],
  [
    "a word within a word",
    { code: -32603, message: "No model catalog information" },
    "agent_failed",
  ],
  ["a request that lasts", { code: -32603, message: "The request took too long" }, "agent_failed"],
  ["a login", { code: -32603, message: "Please log in first" }, "agent_unauthorized"],
  ["anything else", { code: -32603, message: "Internal error" }, "agent_failed"],
])("a refusal: %s", (_, error, code) => {
  expect(loopErrorOf(classifyRefusal("session/prompt", error), gemini).code).toBe(code);
});

const typed = (category: string, title: string) => ({
  stopReason: "end_turn",
  _meta: { jetbrains: { air: { version: 1, sessionFailure: { category, title } } } },
});

test.each<[object, ErrorCode | null]>([
  [{ stopReason: "end_turn" }, null],
  [{}, null],
  [{ stopReason: "max_tokens" }, "agent_failed"],
  [{ stopReason: "refusal" }, "agent_failed"],
  [{ stopReason: "cancelled" }, "agent_failed"],
  [typed("access", "Please sign in"), "agent_unauthorized"],
  [typed("limit", "API Error: Request rejected (429) · Rate limit reached"), "rate_limited"],
  [typed("limit", "The usage limit has been reached"), "usage_limit"],
  [typed("request", "Prompt is too long"), "context_overflow"],
  [typed("request", "Unknown tool"), "agent_misconfigured"],
  [typed("service", "Overloaded"), "agent_failed"],
  [typed("unknown", "?"), "agent_failed"],
])("a turn that ends with %j", (result, code) => {
  const failure = failureOfEnd(result, "An answer.", PROFILES.claude);
  expect(failure && loopErrorOf(failure, PROFILES.claude).code).toBe(code);
});

const ANSWER =
  'Error: fixed.\n```json\n{"action":"DEVELOP","status":"success","message":"Repaired the Error: 401.","state_updates":{}}\n```';

test.each<[ProfileName, string, ErrorCode | null]>([
  [
    "copilot",
    "Retrying...Error: Authentication failed with provider (HTTP 401)",
    "agent_unauthorized",
  ],
  ["copilot", "Error: The provider rejected the prompt as too long", "context_overflow"],
  ["copilot", ANSWER, null],
  ["copilot", "All is well.", null],
  ["copilot", "The test prints:\nError: expected 401, got 200", null],
  ["copilot", `Error: ${"the log says a lot. ".repeat(100)}`, null],
  ["codex-acp", "I added a rate limit to the login route.", null],
  ["codex-acp", "exceeded retry limit, last status: 429 Too Many Requests\n\n", "rate_limited"],
  [
    "codex-acp",
    '{"error":{"message":"This model\'s maximum context length is 1000 tokens"}}',
    "context_overflow",
  ],
  ["codex-acp", "We're currently experiencing high demand", "agent_failed"],
  ["gemini", "Error: Authentication failed", null],
])("%s says %j instead of an answer", (name, text, code) => {
  const failure = failureOfEnd({ stopReason: "end_turn" }, text, PROFILES[name]);
  expect(failure && loopErrorOf(failure, PROFILES[name]).code).toBe(code);
});

test("a usage limit tells when it ends, in the error and in its words", () => {
  const message = "Usage limit reached, try again at 2030-01-02T03:04:05Z";
  expect(loopErrorOf({ kind: "usage_limit", message }, gemini)).toMatchObject({
    details: { failure: "usage_limit", resets_at: "2030-01-02T03:04:05.000Z" },
    message: expect.stringContaining("It resets at 2030-01-02T03:04:05.000Z."),
  });
});

const now = new Date(2030, 5, 1, 11, 30);

test.each([
  ["try again at 12:20 PM", new Date(2030, 5, 1, 12, 20)],
  ["try again at 9:05 am", new Date(2030, 5, 2, 9, 5)],
  ["try again at 23:10", new Date(2030, 5, 1, 23, 10)],
  ["try again in 3 hours 10 minutes", new Date(2030, 5, 1, 14, 40)],
  ["retry in 45m", new Date(2030, 5, 1, 12, 15)],
  ["limit in the free plan. Try again in 3 hours", new Date(2030, 5, 1, 14, 30)],
  ["resets in 2 days", new Date(2030, 5, 3, 11, 30)],
  ["resets 2030-06-01T12:00:00+02:00", new Date("2030-06-01T10:00:00Z")],
])("%j is %s", (text, at) => {
  expect(resetTimeIn(text, now)).toBe(at.toISOString());
});

test.each([
  ...["Too many requests", "in a moment", "at 99:99", "in 5 requests"],
  ...["resets 2030-13-45T99:99:00Z", "in 99999999999999 hours"],
])("%j says no time", (text) => {
  expect(resetTimeIn(text, now)).toBeNull();
});
