import { type ErrorCode, LoopError, parseActionResult } from "@ccw-loop/core";
import type { RpcError } from "@ccw-loop/processes/json-rpc";
import { textAt } from "../json.ts";
import type { Profile } from "../launch/profiles.ts";
import type { Contained } from "../launch/sandbox.ts";
import { sessionFailureIn } from "../turn/decode.ts";
import { resetTimeIn } from "./reset-time.ts";

export type FailureKind = keyof typeof ERROR_BY_KIND;

export interface Failure {
  kind: FailureKind;
  /** In the agent's words where it has any; no full stop at the end. */
  message: string;
}

/**
 * What can go wrong with an agent, by how one reacts to it: `auth` not logged in · `usage_limit` the quota is used up ·
 * `rate_limit` too many requests · `context` the conversation is too long · `config` the model or the request is
 * refused · `service` the model's side or the network · `refused` by the model · `incomplete` it stopped half way ·
 * `no_session` no such session · `crash` the process ended or answers no more · `silence`, `command` one of our limits ·
 * `other`.
 */
const ERROR_BY_KIND = {
  auth: ["agent_unauthorized", "LOGIN"],
  usage_limit: ["usage_limit", "Wait for the reset, or raise the limit of the account."],
  rate_limit: ["rate_limited", "Try again in a few minutes."],
  context: ["context_overflow", "Start a fresh session, or make the task smaller."],
  config: ["agent_misconfigured", "Correct the settings of the agent or the chosen model."],
  service: ["agent_failed", "Try again later."],
  refused: ["agent_failed", "Change what is asked for."],
  incomplete: ["agent_failed", "Ask for less in one turn."],
  no_session: ["agent_failed", "Start a fresh session."],
  crash: ["agent_died", "Try again; what it did so far is still there."],
  silence: ["agent_timeout", "Try again, or allow more time."],
  command: ["agent_timeout", "Try again, or allow more time."],
  other: ["agent_failed", "Try again."],
} as const satisfies Record<string, readonly [code: ErrorCode, next: string]>;

/** What the words of an error mean. The first that fits. */
const WORDS: readonly [RegExp, FailureKind][] = [
  [
    /\b(?:prompt|input|context|conversation|messages?)\b[^.]{0,40}\btoo long\b|\bcontext.?(?:length|window|limit)|\bmaximum context|\btoo many tokens/i,
    "context",
  ],
  [
    /usage.?limit|hit your .{0,30}limit|quota|insufficient.?(?:funds|credit)|billing/i,
    "usage_limit",
  ],
  [/\b429\b|rate.?limit|too many requests/i, "rate_limit"],
  [/\b40[13]\b|\bapi.?key|\bauthenticat|unauthori[sz]ed|\blog(?:ged)? ?in\b/i, "auth"],
  [
    /\b5\d\d\b|\boverloaded|\bhigh demand|\bunavailable|\btransient|\bnetwork|\bconnection/i,
    "service",
  ],
  [/\b40[04]\b|invalid.?request|model.{0,40}not (?:found|supported)/i, "config"],
];

function kindOfWords(text: string): FailureKind {
  return WORDS.find(([words]) => words.test(text))?.[1] ?? "other";
}

/** The protocol's own codes, and HTTP's, which some agents pass on. */
const KIND_BY_CODE: Readonly<Record<number, FailureKind>> = {
  [-32_000]: "auth",
  [-32_002]: "no_session",
  401: "auth",
  403: "auth",
};

/** Class of a request that the agent refused. */
export function classifyRefusal(method: string, { code, message, data }: RpcError): Failure {
  const said = [
    ...[message, textAt(data, "details"), textAt(data, "errorKind")],
    textAt(data, "codexErrorInfo"),
  ].filter((text) => text !== undefined && text !== "");
  const text = [...new Set(said)].join(": ");
  const known = KIND_BY_CODE[code];
  // A code of HTTP counts among the words, which may know more.
  const words = code > 0 ? `${code} ${text}` : text;
  return { kind: known ?? kindOfWords(words), message: `${method} failed: ${plain(text)}` };
}

/** The groups of the extension by which some agents tell failures. */
const KIND_BY_CATEGORY: Readonly<Record<string, FailureKind>> = {
  access: "auth",
  service: "service",
  connection: "service",
};

/**
 * Why a turn failed that the agent ended in its regular way; null for one that did not. An error is often prose: it counts
 * as one only where there is no answer.
 */
export function failureOfEnd(result: unknown, text: string, profile: Profile): Failure | null {
  const typed = sessionFailureIn(result);
  if (typed) {
    return { kind: kindOfTyped(typed), message: plain(typed.title) };
  }
  const { title } = profile;
  switch (textAt(result, "stopReason")) {
    case "max_tokens":
      return { kind: "incomplete", message: `${title} reached the longest answer of its model` };
    case "max_turn_requests":
      return { kind: "incomplete", message: `${title} reached its number of requests in one turn` };
    case "refusal":
      return { kind: "refused", message: `The model of ${title} refused to go on` };
    case "cancelled":
      return { kind: "other", message: `${title} ended the turn as cancelled` };
    default:
      return failureInProse(text, profile);
  }
}

function kindOfTyped({ category, title }: { category: string; title: string }): FailureKind {
  const known = KIND_BY_CATEGORY[category];
  if (known) return known;
  const kind = kindOfWords(title);
  if (category === "limit") return kind === "usage_limit" ? kind : "rate_limit";
  return category === "request" && kind === "other" ? "config" : kind;
}

/** An error says little; an answer has more to say. */
const MAX_PROSE = 1000;

function failureInProse(text: string, { errorProse }: Profile): Failure | null {
  if (errorProse === null || text.length > MAX_PROSE) return null;
  const [, said] = errorProse.exec(text.trim()) ?? [];
  if (said === undefined || parseActionResult(text).ok) return null;
  return { kind: kindOfWords(said), message: plain(said) };
}

function plain(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").slice(0, 500).replace(/\.$/, "");
}

/** A failure as the product's error: what happened, then the next step. */
export function loopErrorOf({ kind, message }: Failure, { login }: Profile): LoopError {
  const [code, step] = ERROR_BY_KIND[kind];
  const next = step === "LOGIN" ? login : step;
  const details: Record<string, unknown> = { failure: kind };
  const isLimit = code === "usage_limit" || code === "rate_limited";
  const resets_at = isLimit ? resetTimeIn(message, new Date()) : null;
  if (isLimit) details.resets_at = resets_at;
  const resets = resets_at === null ? "" : ` It resets at ${resets_at}.`;
  return new LoopError(code, `${message}.${resets} ${next}`, { details });
}

/** What gets better by itself. */
export const PASSING: readonly FailureKind[] = ["service", "rate_limit", "usage_limit"];

/** What else may be wrong with one that ends at once. */
const CONTAINED =
  " It is contained: if it writes to files or folders of its own, name them with homes in its entry of your configuration, or let it work without a sandbox: --sandbox off";

/** Why one that is logged in may not be so in there. */
const NO_KEYRING =
  " It is contained, and reaches no keyring there: log in by a variable or a file of its own, or let it work without a sandbox: --sandbox off";

/** A failure before the first turn: unless it has a code of its own, the agent cannot be used. */
export function openingErrorOf(
  failure: Failure,
  { profile, contained }: { profile: Profile; contained: Contained | null },
): LoopError {
  const error = loopErrorOf(failure, profile);
  if (error.code === "agent_misconfigured") return error;
  if (error.code === "agent_unauthorized") {
    const message = `${error.message}${contained === null ? "" : NO_KEYRING}`;
    return new LoopError(error.code, message, { details: error.details });
  }
  const crashed = contained !== null && failure.kind === "crash";
  const message = PASSING.includes(failure.kind)
    ? error.message
    : `${failure.message}. Check its settings, or install it again.${crashed ? CONTAINED : ""}`;
  return new LoopError("agent_unavailable", message, { details: error.details });
}
