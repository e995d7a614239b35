import type { Failure } from "../failure/failure.ts";
import type { CodexLimits, CodexSandbox } from "../options.ts";
import type { TurnRecord } from "./turn-record.ts";

/**
 * Why a running turn has to be ended now, or null. Codex itself waits for ever on a model that never
 * answers, and retries for minutes what cannot get better.
 */
export function exceededLimit(
  record: TurnRecord,
  now: number,
  limits: CodexLimits,
  sandbox: CodexSandbox,
): Failure | null {
  const { retriedError, brokenSandbox } = record;
  if (brokenSandbox !== null && sandbox === "workspace-write") {
    return { kind: "sandbox", message: `Codex cannot confine commands: ${brokenSandbox}` };
  }
  if (retriedError?.failure.kind === "auth") return retriedError.failure;
  if (now - record.startedAt > limits.turnMs) {
    return limitFailure("deadline", limits.turnMs, "The turn did not end");
  }
  if (retriedError && now - retriedError.since > limits.networkMs) {
    const kind = retriedError.failure.kind === "rate_limit" ? "rate_limit_wait" : "network";
    const message = `Codex reconnects in vain since ${seconds(now - retriedError.since)}: ${retriedError.failure.message}`;
    return { kind, message };
  }
  const quiet = now - record.lastNotificationAt;
  if (record.tools.size > 0) {
    return quiet > limits.commandMs
      ? limitFailure("command", limits.commandMs, "A command gave no sign of life")
      : null;
  }
  return quiet > limits.silenceMs
    ? limitFailure("silence", limits.silenceMs, "The model gave no sign of life")
    : null;
}

/** How often to look: often enough to keep every limit within a fifth. */
export function checkInterval({ silenceMs, commandMs, turnMs, networkMs }: CodexLimits): number {
  const shortest = Math.min(silenceMs, commandMs, turnMs, networkMs);
  return Math.min(1000, Math.max(10, shortest / 5));
}

function limitFailure(
  kind: "deadline" | "command" | "silence",
  limit: number,
  what: string,
): Failure {
  return { kind, message: `${what} within ${seconds(limit)}` };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
