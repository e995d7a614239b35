import { type ErrorCode, LoopError, type RateLimits } from "@ccw-loop/core";
import type { RpcError } from "@ccw-loop/processes/json-rpc";
import type { TurnError } from "../protocol.ts";

export type FailureKind = keyof typeof ERROR_BY_KIND;

export interface Failure {
  kind: FailureKind;
  /** In Codex's words where it has any; no full stop at the end. */
  message: string;
}

/** What Codex calls it → what it is. Codex adds names with every version. */
const KIND_BY_CODE: Readonly<Record<string, FailureKind>> = {
  usageLimitExceeded: "usage_limit",
  sessionBudgetExceeded: "usage_limit",
  rateLimitExceeded: "rate_limit",
  contextWindowExceeded: "context",
  unauthorized: "auth",
  modelNotFound: "config",
  badRequest: "config",
  serverOverloaded: "server",
  internalServerError: "server",
  flexUnavailable: "server",
  policyCapacityUnavailable: "server",
  httpConnectionFailed: "network",
  responseStreamConnectionFailed: "network",
  responseStreamDisconnected: "network",
  responseTooManyFailedAttempts: "network",
  sandboxError: "sandbox",
  cyberPolicy: "refused",
  misalignmentPolicyViolation: "refused",
  inferenceHookDenied: "refused",
  tooManyDenials: "refused",
};

/** For the errors that Codex only puts into words. The first that fits. */
const TURN_ERROR_PATTERNS: readonly [RegExp, FailureKind][] = [
  [/missing environment variable/i, "auth"],
  [/invalid_json_schema|invalid_request_error|unexpected status 40[04]\b/, "config"],
  [/incomplete response/i, "incomplete"],
  [
    /stream (?:disconnected|closed)|idle timeout|connection (?:failed|refused)|error sending/i,
    "network",
  ],
];

/** Class of an error that ended a turn, or that Codex retries by itself. */
export function classifyTurnError(error: TurnError): Failure {
  const { message, additionalDetails } = error;
  const text = additionalDetails ? `${message} (${additionalDetails})` : message;
  return { kind: turnErrorKind(error, text), message: text.replace(/\.$/, "") };
}

function turnErrorKind({ codexErrorInfo }: TurnError, text: string): FailureKind {
  const [name, status] = readInfo(codexErrorInfo);
  if (status === 429) return "rate_limit";
  if (status === 401 || status === 403) return "auth";
  if (status === 400 || status === 404) return "config";
  if (status !== null && status >= 500) return "server";
  const known = KIND_BY_CODE[name];
  return known ?? TURN_ERROR_PATTERNS.find(([words]) => words.test(text))?.[1] ?? "other";
}

/** The name of the error and the HTTP status that came with it. */
function readInfo(info: TurnError["codexErrorInfo"]): [name: string, status: number | null] {
  if (!info) return ["other", null];
  if (typeof info === "string") return [info, null];
  const [name = "other", details] = Object.entries(info)[0] ?? [];
  const isObject = typeof details === "object" && details !== null;
  const status = isObject && "httpStatusCode" in details ? details.httpStatusCode : null;
  return [name, typeof status === "number" ? status : null];
}

/** Codex gives one code to nearly everything that it refuses, so its words decide. The first that fits. */
const REFUSAL_PATTERNS: readonly [RegExp, FailureKind][] = [
  [/already has an active writer/, "busy"],
  [/no rollout found|thread not found|invalid (?:session|thread) id/i, "no_session"],
  [/is archived/, "archived"],
  [/failed to (?:load|read) config|unknown variant|invalid type|missing field/i, "config"],
];

/** Class of a request that Codex refused. */
export function classifyRefusal(method: string, { message, data }: RpcError): Failure {
  const said = message.split(", expected one of", 1)[0] ?? message;
  return {
    kind: refusalKind(message, data),
    message: `Codex refused ${method}: ${said.replace(/\.$/, "")}`,
  };
}

function refusalKind(message: string, data: unknown): FailureKind {
  if (typeof data === "object" && data !== null && "input_error_code" in data) return "input";
  return REFUSAL_PATTERNS.find(([words]) => words.test(message))?.[1] ?? "other";
}

/**
 * What can go wrong with Codex, by how one reacts to it:
 * `rate_limit` too many requests · `rate_limit_wait` Codex waits for that too long · `usage_limit` the
 * account's quota is used up · `auth` not logged in · `config` settings, model or schema refused ·
 * `context` the conversation is too long · `server`, `network` the model's side · `incomplete` the model
 * stopped half way · `refused` a policy of the model's side · `sandbox` commands cannot be confined ·
 * `crash` the process ended or answers no more · `silence`, `command` one of our limits ·
 * `input` the prompt cannot be sent · `no_session` no such conversation · `archived`, `busy` it cannot be
 * opened now · `other`.
 */
const ERROR_BY_KIND = {
  rate_limit: ["rate_limited", "Try again in a few minutes."],
  rate_limit_wait: ["rate_limited", "Try again in a few minutes."],
  usage_limit: ["usage_limit", "Wait for the reset, or raise the limit of the account."],
  auth: ["agent_unauthorized", 'Log in with "LOGIN", or set the key of your model provider.'],
  config: ["agent_misconfigured", "Correct the settings of Codex or the chosen model."],
  context: ["context_overflow", "Start a fresh session, or make the task smaller."],
  server: ["agent_failed", "Try again later."],
  network: ["agent_failed", "Check the network and try again."],
  incomplete: ["agent_failed", "Ask for less in one turn."],
  refused: ["agent_failed", "Change what is asked for."],
  sandbox: [
    "sandbox_unavailable",
    "Allow unprivileged user namespaces on this machine: Codex confines its commands with them.",
  ],
  crash: ["agent_died", "Try again; what it did so far is still there."],
  silence: ["agent_timeout", "Try again, or allow more time."],
  command: ["agent_timeout", "Try again, or allow more time."],
  input: ["invalid_input", "Make the prompt shorter."],
  no_session: ["agent_failed", "Start a fresh session."],
  archived: ["agent_unavailable", "Unarchive the conversation in Codex, then try again."],
  busy: ["agent_unavailable", "End the other Codex process, then try again."],
  other: ["agent_failed", "Try again."],
} as const satisfies Record<string, readonly [code: ErrorCode, next: string]>;

/** A failure as the product's error: what happened, then the next step. `login` is the command to log in with. */
export function loopErrorOf(
  { kind, message }: Failure,
  limits: RateLimits,
  login: string,
): LoopError {
  const [code, step] = ERROR_BY_KIND[kind];
  const next = step.replace("LOGIN", () => login);
  const resets =
    kind === "usage_limit" && limits.resets_at ? ` It resets at ${limits.resets_at}.` : "";
  const details: Record<string, unknown> = { failure: kind };
  const usedUp = kind === "usage_limit" || (limits.used_percent ?? 0) >= 100;
  if (code === "usage_limit" || code === "rate_limited") {
    details.resets_at = usedUp ? limits.resets_at : null;
  }
  return new LoopError(code, `${message}.${resets} ${next}`, { details });
}

/** The codes that `open` may throw. Anything else before the first turn means that Codex cannot be used. */
const AT_OPENING: readonly ErrorCode[] = [
  "agent_unauthorized",
  "agent_misconfigured",
  "sandbox_unavailable",
];

/** A failure before the first turn. */
export function openingErrorOf(failure: Failure, login: string): LoopError {
  const error = loopErrorOf(failure, { used_percent: null, resets_at: null }, login);
  if (AT_OPENING.includes(error.code)) return error;
  const next =
    failure.kind === "busy" ? ERROR_BY_KIND.busy[1] : "Check its settings, or install it again.";
  return new LoopError("agent_unavailable", `${failure.message}. ${next}`, {
    details: error.details,
  });
}
