import { ERROR_CODES, type ErrorCode, LoopError } from "@ccw-loop/core";
import type { Context } from "hono";

/** What only a request over HTTP can do wrong, by status; everything else has a code of core. */
export const HTTP_CODES = {
  400: "invalid_input",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  412: "revision_conflict",
  413: "too_large",
  415: "unsupported_media_type",
  429: "too_many_requests",
  431: "too_large",
  500: "internal",
} as const;

export type HttpErrorStatus = keyof typeof HTTP_CODES;

/** A request that is refused with a status of its own, for what it is as a request. */
export class HttpError extends Error {
  readonly status: HttpErrorStatus;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: HttpErrorStatus, sentence: string, headers: Record<string, string> = {}) {
    super(sentence);
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}

export function retryLater(sentence: string, seconds: number): HttpError {
  return new HttpError(429, `${sentence} Try again in ${seconds} s.`, {
    "retry-after": `${seconds}`,
  });
}

/** Upstream's text for a code, where its clients know one; core's own sentence then goes into `details.message`. */
export type UpstreamTexts = Readonly<Partial<Record<ErrorCode, string>>>;

const EVERYWHERE: UpstreamTexts = { loop_not_found: "Loop not found" };

/**
 * Any thrown value as the answer it becomes. What nobody expected says nothing of its inside, and no text says where on
 * this machine anything lies.
 */
export function errorAnswer(c: Context, thrown: unknown, texts: UpstreamTexts = {}): Response {
  if (thrown instanceof HttpError) {
    const code = HTTP_CODES[thrown.status];
    c.set("code", code);
    const body = refusal(thrown.status, code, thrown.message);
    return c.json(body, thrown.status, { ...thrown.headers, ...PROBLEM_HEADERS });
  }
  const error = thrown instanceof LoopError ? thrown : new LoopError("internal", UNEXPECTED);
  const known = texts[error.code] ?? EVERYWHERE[error.code];
  const own = known === undefined || known === error.message ? {} : { message: error.message };
  const details = { ...error.details, ...own };
  c.set("code", error.code);
  if (error.code === "internal") c.set("error", thrown);
  const { hint } = error.details;
  const status = ERROR_CODES[error.code].http;
  const body = {
    ...refusal(status, error.code, error.message),
    error: known ?? error.message,
    ...(typeof hint === "string" ? { hint } : {}),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
  const redact: Redact = c.get("redact");
  return c.json(redacted(body, redact), status, PROBLEM_HEADERS);
}

/** What every answer that is no success is, to who looks at its type alone. */
export const PROBLEM = "application/problem+json";
const PROBLEM_HEADERS = { "Content-Type": PROBLEM };

/** The fields of RFC 9457, beside those that the older dashboard reads. */
export function refusal(status: number, code: string, sentence: string) {
  const words = code.replaceAll("_", " ");
  return {
    ...{ success: false, error: sentence, code },
    type: `urn:ccw-loop:error:${code}`,
    title: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    ...{ status, detail: sentence },
  };
}

/** See `AppOptions.redact`. */
type Redact = ((text: string) => string) | undefined;

function redacted<T extends object>(body: T, redact: Redact): T {
  if (redact === undefined) return body;
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === "string" ? redact(value) : value,
  );
  return JSON.parse(text) as T;
}

const UNEXPECTED = "Internal error. The server's log has the details under this request id.";
