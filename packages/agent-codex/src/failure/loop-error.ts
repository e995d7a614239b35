import { type ErrorCode, LoopError, type RateLimits } from "@ccw-loop/core";
import type { Failure, FailureKind } from "./failure.ts";

const ERROR_BY_KIND: Readonly<Record<FailureKind, [code: ErrorCode, next: string]>> = {
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
    'Allow user namespaces, or confine the process yourself and choose the sandbox "external".',
  ],
  crash: ["agent_died", "Try again; what it did so far is still there."],
  silence: ["agent_timeout", "Try again, or allow more time."],
  command: ["agent_timeout", "Try again, or allow more time."],
  deadline: ["agent_timeout", "Ask for less in one turn, or allow more time."],
  input: ["invalid_input", "Make the prompt shorter."],
  no_session: ["agent_failed", "Start a fresh session."],
  archived: ["agent_unavailable", "Unarchive the conversation in Codex, then try again."],
  busy: ["agent_unavailable", "End the other Codex process, then try again."],
  other: ["agent_failed", "Try again."],
};

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
