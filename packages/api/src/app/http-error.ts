import { ERROR_CODES, type ErrorCode, LoopError } from "@ccw-loop/core";
import type { Context } from "hono";
import type { AppOptions } from "./options.ts";

/** What only a request over HTTP can do wrong; everything else has a code of core. */
export type HttpCode =
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "too_large"
  | "unsupported_media_type"
  | "too_many_requests";

export type AnswerCode = ErrorCode | HttpCode;

type HttpErrorStatus = 401 | 403 | 404 | 405 | 408 | 412 | 413 | 415 | 429;

/** A request that is refused with a status of its own, for what it is as a request. */
export class HttpError extends Error {
  readonly status: HttpErrorStatus;
  readonly code: AnswerCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: HttpErrorStatus,
    code: AnswerCode,
    sentence: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(sentence);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Upstream's text for a code, where its clients know one; core's own sentence then goes into `details.message`. */
export type UpstreamTexts = Readonly<Partial<Record<AnswerCode, string>>>;

const EVERYWHERE: UpstreamTexts = { loop_not_found: "Loop not found" };

/**
 * Any thrown value as the answer it becomes. What nobody expected says nothing of its inside, and no text says where on
 * this machine anything lies.
 */
export function errorAnswer(c: Context, thrown: unknown, texts: UpstreamTexts = {}): Response {
  if (thrown instanceof HttpError) {
    c.set("code", thrown.code);
    const body = { success: false, error: thrown.message, code: thrown.code };
    return c.json(body, thrown.status, { ...thrown.headers });
  }
  const error = thrown instanceof LoopError ? thrown : unexpected();
  const known = texts[error.code] ?? EVERYWHERE[error.code];
  const own = known === undefined || known === error.message ? {} : { message: error.message };
  const details = { ...error.details, ...own };
  c.set("code", error.code);
  if (error.code === "internal") c.set("error", thrown);
  const { hint } = error.details;
  const body = {
    success: false,
    error: known ?? error.message,
    code: error.code,
    ...(typeof hint === "string" ? { hint } : {}),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
  const redact: AppOptions["redact"] = c.get("redact");
  return c.json(redacted(body, redact), ERROR_CODES[error.code].http);
}

function redacted<T extends object>(body: T, redact: AppOptions["redact"]): T {
  if (redact === undefined) return body;
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === "string" ? redact(value) : value,
  );
  return JSON.parse(text) as T;
}

function unexpected(): LoopError {
  return new LoopError(
    "internal",
    "Internal error. The server's log has the details under this request id.",
  );
}
