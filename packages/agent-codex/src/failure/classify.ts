import type { TurnError } from "../protocol/notifications.ts";
import type { Failure, FailureKind } from "./failure.ts";

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
