import { describe, expect, it, test } from "vitest";
import {
  classifyRefusal,
  classifyTurnError,
  type FailureKind,
  loopErrorOf,
  openingErrorOf,
} from "../../src/failure/failure.ts";
import { recover, type Tries } from "../../src/failure/recovery.ts";
import { DEFAULT_CODEX_LIMITS } from "../../src/options.ts";
import type { TurnError } from "../../src/protocol.ts";
import { currentLimits, mergeLimits } from "../../src/turn/usage.ts";

const status = (name: string, httpStatusCode: number | null) => ({ [name]: { httpStatusCode } });
const invalidSchema = '{"error":{"type":"invalid_request_error","code":"invalid_json_schema"}}';

test.each<[TurnError["codexErrorInfo"], string, FailureKind]>([
  [status("responseTooManyFailedAttempts", 429), "exceeded retry limit", "rate_limit"],
  [status("responseStreamDisconnected", 429), "Reconnecting... 1/5", "rate_limit"],
  ["rateLimitExceeded", "Rate limit reached", "rate_limit"],
  ["usageLimitExceeded", "You've hit your usage limit.", "usage_limit"],
  ["contextWindowExceeded", "ran out of room", "context"],
  [status("httpConnectionFailed", 401), "unexpected status 401", "auth"],
  [status("responseStreamDisconnected", 403), "Reconnecting... 1/5", "auth"],
  ["unauthorized", "token expired", "auth"],
  ["other", "Missing environment variable: `KEY`.", "auth"],
  ["modelNotFound", "The model x does not exist", "config"],
  ["other", invalidSchema, "config"],
  [status("httpConnectionFailed", 404), "unexpected status 404 Not Found", "config"],
  ["other", "unexpected status 404 Not Found: no such model", "config"],
  ["internalServerError", "high demand", "server"],
  ["serverOverloaded", "at capacity", "server"],
  [status("httpConnectionFailed", 502), "unexpected status 502", "server"],
  [status("httpConnectionFailed", null), "connection failed", "network"],
  ["other", "stream disconnected before completion: idle timeout waiting for SSE", "network"],
  ["other", "Incomplete response returned, reason: max_output_tokens", "incomplete"],
  ["cyberPolicy", "blocked", "refused"],
  ["sandboxError", "no sandbox", "sandbox"],
  ["somethingNew", "never heard of", "other"],
  [{ unheardOf: "text" }, "hm", "other"],
  [null, "hm", "other"],
])("a turn that ended with %j, %j failed by %s", (codexErrorInfo, message, kind) => {
  expect(classifyTurnError({ message, codexErrorInfo }).kind).toBe(kind);
});

it("keeps Codex's words, details too, without the full stop", () => {
  const error = { message: "It broke.", additionalDetails: "line 3" };
  expect(classifyTurnError(error).message).toBe("It broke. (line 3)");
  expect(classifyTurnError({ message: "It broke." }).message).toBe("It broke");
});

test.each<[string, unknown, FailureKind]>([
  ["thread 1 already has an active writer", undefined, "busy"],
  ["no rollout found for thread id 1", undefined, "no_session"],
  ["invalid session id: invalid length", undefined, "no_session"],
  ["session 1 is archived. Run `codex unarchive 1`", undefined, "archived"],
  ["failed to load configuration: /c/config.toml:1:9: extra `=`", undefined, "config"],
  ["failed to read configuration layers: /c/config.toml:1:9", undefined, "config"],
  ["Invalid request: unknown variant `thread/revert`", undefined, "config"],
  ["Input exceeds the maximum", { input_error_code: "input_too_large" }, "input"],
  ["something new", { other: 1 }, "other"],
])("a refusal with %j is %s", (message, data, kind) => {
  expect(classifyRefusal("m", { code: -32600, message, data }).kind).toBe(kind);
});

it("does not repeat a list of all methods", () => {
  const message = "Invalid request: unknown variant `x`, expected one of `a`, `b`";
  expect(classifyRefusal("x", { code: -32600, message }).message).toBe(
    "Codex refused x: Invalid request: unknown variant `x`",
  );
});

describe("recovery", () => {
  const failure = (kind: FailureKind) => ({ kind, message: "" });
  const limits = { ...DEFAULT_CODEX_LIMITS, backoffMs: 1000, backoffMaxMs: 3000 };

  test.each<[FailureKind, Tries, string]>([
    ["rate_limit", {}, "retry"],
    ["rate_limit", { rateLimit: 4 }, "retry"],
    ["rate_limit", { rateLimit: 5 }, "give_up"],
    ["rate_limit", { backoff: 3 }, "retry"],
    ["rate_limit_wait", {}, "give_up"],
    ["server", { backoff: 2 }, "retry"],
    ["server", { backoff: 3 }, "give_up"],
    ["network", { backoff: 2 }, "retry"],
    ["incomplete", {}, "retry"],
    ["incomplete", { once: 1 }, "give_up"],
    ["other", {}, "retry"],
    ["context", {}, "compact"],
    ["context", { compact: 1 }, "give_up"],
    ["crash", {}, "give_up"],
    ["usage_limit", {}, "give_up"],
    ["auth", {}, "give_up"],
    ["config", {}, "give_up"],
    ["sandbox", {}, "give_up"],
    ["refused", {}, "give_up"],
    ["silence", {}, "give_up"],
    ["command", {}, "give_up"],
    ["input", {}, "give_up"],
  ])("after %s with %j: %s", (kind, tries, way) => {
    expect(recover(failure(kind), tries, limits, 0.5).do).toBe(way);
  });

  test.each([
    [0, 0, 500],
    [0, 0.5, 1000],
    [1, 0.5, 2000],
    [2, 0.5, 3000],
    [2, 0.999, 4497],
  ])("the pause after %s tries, with chance %s, is %s ms", (backoff, random, expected) => {
    const next = recover(failure("server"), { backoff }, limits, random);
    expect(next).toMatchObject({ delayMs: expected, attempt: backoff + 1 });
  });
});

describe("rate limits", () => {
  const window = (usedPercent: number, resetsAt: number | null) => ({ usedPercent, resetsAt });

  it("keeps what a sparse update does not tell", () => {
    const full = mergeLimits(new Map(), { primary: window(40, 100), secondary: window(70, 900) });
    const merged = mergeLimits(full, { primary: window(100, 200), secondary: null });
    expect(currentLimits(merged)).toEqual({
      used_percent: 100,
      resets_at: "1970-01-01T00:03:20.000Z",
    });
    expect(merged.get("codex")?.secondary).toEqual(window(70, 900));
  });

  it("does not mix two quotas", () => {
    const one = mergeLimits(new Map(), { limitId: "a", primary: window(100, 500) });
    const two = mergeLimits(one, { limitId: "b", primary: window(10, 100) });
    expect(currentLimits(two).used_percent).toBe(100);
  });

  it("names the last reset when several quotas are used up", () => {
    const known = mergeLimits(new Map(), { primary: window(100, 60), secondary: window(101, 30) });
    expect(currentLimits(known).resets_at).toBe("1970-01-01T00:01:00.000Z");
  });

  it("knows nothing as long as nothing was told", () => {
    const nothing = { used_percent: null, resets_at: null };
    expect(currentLimits(new Map())).toEqual(nothing);
    expect(currentLimits(mergeLimits(new Map(), { primary: null }))).toEqual(nothing);
  });
});

describe("the product's errors", () => {
  const LOGIN = "npx codex login";
  const reset = { used_percent: 100, resets_at: "2030-01-01T00:00:00.000Z" };

  it("a usage limit carries its reset", () => {
    const error = loopErrorOf({ kind: "usage_limit", message: "Used up" }, reset, LOGIN);
    expect(error.code).toBe("usage_limit");
    expect(error.details).toEqual({ failure: "usage_limit", resets_at: reset.resets_at });
    expect(error.message).toContain("It resets at 2030-01-01");
  });

  it("a rate limit only names the reset of a quota that is used up", () => {
    const failure = { kind: "rate_limit", message: "429" } as const;
    const some = { used_percent: 20, resets_at: reset.resets_at };
    expect(loopErrorOf(failure, some, LOGIN).details.resets_at).toBeNull();
    expect(loopErrorOf(failure, reset, LOGIN).details.resets_at).toBe(reset.resets_at);
  });

  test.each<[FailureKind, string]>([
    ["auth", "agent_unauthorized"],
    ["config", "agent_misconfigured"],
    ["sandbox", "sandbox_unavailable"],
    ["crash", "agent_unavailable"],
    ["busy", "agent_unavailable"],
    ["other", "agent_unavailable"],
  ])("%s at opening is %s", (kind, code) => {
    expect(openingErrorOf({ kind, message: "Why" }, LOGIN).code).toBe(code);
  });

  it("a missing login names the command for it", () => {
    const { message } = openingErrorOf({ kind: "auth", message: "Codex is not logged in" }, LOGIN);
    expect(message).toMatch(/^Codex is not logged in\. Log in with "npx codex login", or set/);
  });
});
