import { bubblewrapError } from "@ccw-loop/processes/containment";
import { classifyTurnError, type Failure } from "../failure/failure.ts";
import type { CodexLimits, CodexSandbox } from "../options.ts";
import {
  type AgentMessage,
  type EndedTurn,
  type Item,
  isTool,
  type Notification,
} from "../protocol.ts";

/** What we know of a turn while it runs. Times are monotonic milliseconds. */
export class TurnRecord {
  turnId: string | null = null;
  /** When Codex last said anything. */
  lastNotificationAt: number;
  readonly messages: AgentMessage[] = [];
  /** Commands, edits and other tools that are at work. */
  readonly tools = new Set<string>();
  /** Something was done that a second try would do again. */
  hadSideEffects = false;
  ranCommands = false;
  /** What Codex retries by itself, and since when nothing got better. */
  retriedError: { since: number; failure: Failure } | null = null;
  /** The first words of a sandbox that cannot start. */
  brokenSandbox: string | null = null;
  end: EndedTurn | null = null;

  constructor(at: number) {
    this.lastNotificationAt = at;
  }

  /** Takes note of one more notification. What belongs to other turns only shows that Codex is alive. */
  observe(notification: Notification, at: number): void {
    this.lastNotificationAt = at;
    if (notification.method === "turn/started") this.turnId ??= notification.params.turn.id;
    if (turnOf(notification) !== this.turnId) return;
    switch (notification.method) {
      case "turn/completed":
        this.end = notification.params.turn;
        break;
      case "item/started":
        this.#started(notification.params.item);
        break;
      case "item/completed":
        this.#completed(notification.params.item);
        break;
      case "item/agentMessage/delta":
      case "item/commandExecution/outputDelta":
        this.retriedError = null;
        break;
      case "error": {
        const { willRetry, error } = notification.params;
        const since = this.retriedError?.since ?? at;
        if (willRetry) this.retriedError = { since, failure: classifyTurnError(error) };
      }
    }
  }

  #started(item: Item): void {
    this.retriedError = null;
    if (isTool(item)) this.tools.add(item.id);
  }

  #completed(item: Item): void {
    this.retriedError = null;
    this.tools.delete(item.id);
    this.hadSideEffects ||= isTool(item);
    if (item.type === "agentMessage") this.messages.push(item);
    if (item.type !== "commandExecution") return;
    this.ranCommands = true;
    this.brokenSandbox ??= bubblewrapError(item.exitCode ?? null, item.aggregatedOutput ?? "");
  }

  /**
   * Why the running turn has to be ended now, or null. Codex itself waits for ever on a model that never
   * answers, and retries for minutes what cannot get better.
   */
  exceededLimit(now: number, limits: CodexLimits, sandbox: CodexSandbox): Failure | null {
    const { retriedError, brokenSandbox } = this;
    if (brokenSandbox !== null && sandbox === "workspace-write") {
      return { kind: "sandbox", message: `Codex cannot confine commands: ${brokenSandbox}` };
    }
    if (retriedError?.failure.kind === "auth") return retriedError.failure;
    if (retriedError && now - retriedError.since > limits.networkMs) {
      const kind = retriedError.failure.kind === "rate_limit" ? "rate_limit_wait" : "network";
      const message = `Codex has been reconnecting for ${seconds(now - retriedError.since)} without success: ${retriedError.failure.message}`;
      return { kind, message };
    }
    const quiet = now - this.lastNotificationAt;
    if (this.tools.size > 0) {
      return quiet > limits.commandMs
        ? limitFailure("command", limits.commandMs, "A command gave no sign of life")
        : null;
    }
    return quiet > limits.silenceMs
      ? limitFailure("silence", limits.silenceMs, "The model gave no sign of life")
      : null;
  }
}

function turnOf(notification: Notification): string | null {
  if (!("params" in notification)) return null;
  const { params } = notification;
  if ("turn" in params) return params.turn.id;
  return "turnId" in params ? params.turnId : null;
}

function limitFailure(kind: "command" | "silence", limit: number, what: string): Failure {
  return { kind, message: `${what} within ${seconds(limit)}` };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/**
 * The text that ends a turn: the last message marked as final, else the last without a mark. What was said
 * on the way (`commentary`) is never the result: under an output schema it has the same shape. Empty when
 * the turn has no final message. `told` are the messages that came while it ran; older versions of Codex leave
 * the turn's own list empty.
 */
export function finalMessage(ofTurn: readonly Item[], told: readonly AgentMessage[]): string {
  const listed = ofTurn.filter((item) => item.type === "agentMessage");
  return pick(listed) ?? pick(told) ?? "";
}

function pick(messages: readonly AgentMessage[]): string | undefined {
  const final = messages.findLast(({ phase }) => phase === "final_answer");
  return (final ?? messages.findLast(({ phase }) => !phase))?.text;
}
