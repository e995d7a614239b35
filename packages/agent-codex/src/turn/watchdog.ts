import type { Failure } from "../failure/failure.ts";
import type { CodexLimits, CodexSandbox } from "../options.ts";
import type { TurnRecord } from "./turn-record.ts";

/**
 * Why a running turn has to be ended now, or null. Codex itself waits for ever on a model that never
 * answers, and retries for minutes what cannot get better.
 */
export function overdue(
  record: TurnRecord,
  now: number,
  limits: CodexLimits,
  sandbox: CodexSandbox,
): Failure | null {
  const { trouble, brokenSandbox } = record;
  if (brokenSandbox !== null && sandbox === "workspace-write") {
    return { kind: "sandbox", message: `Codex cannot confine commands: ${brokenSandbox}` };
  }
  if (trouble?.failure.kind === "auth") return trouble.failure;
  if (now - record.startedAt > limits.turnMs) {
    return late("deadline", limits.turnMs, "The turn did not end");
  }
  if (trouble && now - trouble.since > limits.networkMs) {
    const kind = trouble.failure.kind === "rate_limit" ? "rate_limit_wait" : "network";
    const message = `Codex reconnects in vain since ${seconds(now - trouble.since)}: ${trouble.failure.message}`;
    return { kind, message };
  }
  const quiet = now - record.heardAt;
  if (record.tools.size > 0) {
    return quiet > limits.commandMs
      ? late("command", limits.commandMs, "A command gave no sign of life")
      : null;
  }
  return quiet > limits.silenceMs
    ? late("silence", limits.silenceMs, "The model gave no sign of life")
    : null;
}

/** How often to look: often enough to keep every limit within a fifth. */
export function lookEvery({ silenceMs, commandMs, turnMs, networkMs }: CodexLimits): number {
  const shortest = Math.min(silenceMs, commandMs, turnMs, networkMs);
  return Math.min(1000, Math.max(10, shortest / 5));
}

function late(kind: "deadline" | "command" | "silence", limit: number, what: string): Failure {
  return { kind, message: `${what} within ${seconds(limit)}` };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
