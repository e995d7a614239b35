import type { CodexLimits } from "../options.ts";
import type { Failure, FailureKind } from "./failure.ts";

type Way = "backoff" | "rateLimit" | "once" | "compact";

/** How often each way of recovery was tried for one prompt. */
export type Tries = Readonly<Partial<Record<Way, number>>>;

/** `retry`: wait, then send again · `compact`: make the conversation shorter, then send again. `attempt` counts from 1. */
export type Recovery =
  | { do: "give_up" }
  | { do: "retry" | "compact"; delayMs: number; attempt: number; tries: Tries };

/** Which way a failure is recovered from. A kind that is not named here ends the run. */
const WAYS: Readonly<Partial<Record<FailureKind, Way>>> = {
  rate_limit: "rateLimit",
  server: "backoff",
  network: "backoff",
  incomplete: "once",
  other: "once",
  context: "compact",
};

/** What to do about a failure. `random` in [0, 1) spreads the retries of many loops. */
export function recover(
  { kind }: Failure,
  tries: Tries,
  limits: CodexLimits,
  random: number,
): Recovery {
  const way = WAYS[kind];
  if (!way) return { do: "give_up" };
  const done = tries[way] ?? 0;
  if (done >= allowed(way, limits)) return { do: "give_up" };
  const attempt = done + 1;
  const next = { attempt, tries: { ...tries, [way]: attempt } };
  if (way === "compact") return { do: way, delayMs: 0, ...next };
  return { do: "retry", delayMs: backoff(done, limits, random), ...next };
}

function allowed(way: Way, { retries, rateLimitRetries }: CodexLimits): number {
  return { backoff: retries, rateLimit: rateLimitRetries, once: 1, compact: 1 }[way];
}

/** Doubles with every try up to a bound, and is spread between one half and one and a half of that. */
function backoff(done: number, { backoffMs, backoffMaxMs }: CodexLimits, random: number): number {
  return Math.min(backoffMs * 2 ** done, backoffMaxMs) * (0.5 + random);
}
