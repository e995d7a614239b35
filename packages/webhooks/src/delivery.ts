import { createHmac } from "node:crypto";
import { systemCode } from "@ccw-loop/core";
import { formatDuration } from "@ccw-loop/view";
import { postOf } from "./formats.ts";
import type { Message } from "./message.ts";
import type { Webhook } from "./settings.ts";

/** What one try came to. */
export type Delivery =
  | { delivered: true; status: number }
  | {
      delivered: false;
      /** Why, in a sentence without any secret. */
      reason: string;
      /** Trying again would not help. */
      final: boolean;
      /** For how long the receiver wants to be left alone, in milliseconds. */
      retryAfterMs: number | null;
    };

interface DeliveryOptions {
  id: string;
  now: Date;
  /** How long the receiver may take to answer, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Posts one message, once. Never rejects. */
export async function deliver(
  webhook: Webhook,
  message: Message,
  { id, now, timeoutMs, signal }: DeliveryOptions,
): Promise<Delivery> {
  const { url, body } = postOf(webhook, message);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      // Where it leads is not what the operator named, and the signature and the headers are for nobody else.
      redirect: "manual",
      headers: {
        ...webhook.headers,
        "content-type": "application/json; charset=utf-8",
        "user-agent": "ccw-loop",
        ...signed(webhook.key, { id, now, body }),
      },
      body,
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    // Nothing of the answer is read.
    response.body?.cancel().catch(() => undefined);
    return judged(webhook.name, url.host, response, now);
  } catch (error) {
    const what = timeout.aborted
      ? `did not answer within ${formatDuration(timeoutMs)}`
      : signal?.aborted
        ? "did not answer before ccw-loop ended"
        : unreachable(error);
    return failed(`${url.host} ${what}`);
  }
}

/** The headers of Standard Webhooks. A receiver refuses old timestamps, so each try has its own. */
function signed(
  key: Buffer | null,
  { id, now, body }: { id: string; now: Date; body: string },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const names = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (key === null) return names;
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...names, "webhook-signature": `v1,${digest}` };
}

/** Answers that say nothing about the message itself. */
const TRY_AGAIN = new Set([408, 425, 429]);

function judged(name: string, host: string, { status, headers }: Response, now: Date): Delivery {
  if (status >= 200 && status < 300) return { delivered: true, status };
  if (status >= 300 && status < 400) {
    const reason = `${host} answered ${status}: it redirects, which is not followed. Name the address behind it as webhooks.${name}.url`;
    return { ...failed(reason), final: true };
  }
  const final = status < 500 && !TRY_AGAIN.has(status);
  const retryAfterMs = final ? null : pauseIn(headers.get("retry-after"), now);
  return { delivered: false, reason: `${host} answered ${status}`, final, retryAfterMs };
}

const failed = (reason: string) =>
  ({ delivered: false, reason, final: false, retryAfterMs: null }) as const;

/** Seconds, or a date; null for anything else. */
function pauseIn(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const ms = /^\s*\d+\s*$/.test(header)
    ? Number(header) * 1000
    : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "does not listen",
  ENOTFOUND: "is a name that nobody knows",
  EAI_AGAIN: "is a name that cannot be looked up now",
  ECONNRESET: "closed the connection",
  UND_ERR_SOCKET: "closed the connection",
};

/** Only by its code: the text of such an error can hold what was sent. */
function unreachable(error: unknown): string {
  const code = systemCode(error instanceof Error ? error.cause : undefined);
  return REASONS[code] ?? `cannot be reached${code === "" ? "" : ` (${code})`}`;
}
