import { bubblewrapError, classifyTurnError, type Failure } from "../failure/failure.ts";
import type { CodexLimits, CodexSandbox } from "../options.ts";
import {
  type AgentMessage,
  type EndedTurn,
  type Item,
  isTool,
  type Notification,
} from "../protocol.ts";

/** What we know of a turn while it runs. Times are monotonic milliseconds. */
export interface TurnRecord {
  turnId: string | null;
  startedAt: number;
  /** When Codex last said anything. */
  lastNotificationAt: number;
  messages: readonly AgentMessage[];
  /** Commands, edits and other tools that are at work. */
  tools: ReadonlySet<string>;
  /** Something was done that a second try would do again. */
  hadSideEffects: boolean;
  ranCommands: boolean;
  /** What Codex retries by itself, and since when nothing got better. */
  retriedError: { since: number; failure: Failure } | null;
  /** The first words of a sandbox that cannot start. */
  brokenSandbox: string | null;
  end: EndedTurn | null;
}

export function newTurnRecord(at: number): TurnRecord {
  return {
    turnId: null,
    startedAt: at,
    lastNotificationAt: at,
    messages: [],
    tools: new Set(),
    hadSideEffects: false,
    ranCommands: false,
    retriedError: null,
    brokenSandbox: null,
    end: null,
  };
}

/** The record after one more notification. What belongs to other turns only shows that Codex is alive. */
export function observe(record: TurnRecord, notification: Notification, at: number): TurnRecord {
  const next: TurnRecord = { ...record, lastNotificationAt: at };
  if (notification.method === "turn/started" && record.turnId === null) {
    return { ...next, turnId: notification.params.turn.id };
  }
  if (turnOf(notification) !== record.turnId) return next;
  switch (notification.method) {
    case "turn/completed":
      return { ...next, end: notification.params.turn };
    case "item/started":
      return itemStarted(next, notification.params.item);
    case "item/completed":
      return itemCompleted(next, notification.params.item);
    case "item/agentMessage/delta":
    case "item/commandExecution/outputDelta":
      return { ...next, retriedError: null };
    case "error":
      return notification.params.willRetry
        ? withRetriedError(next, classifyTurnError(notification.params.error), at)
        : next;
    default:
      return next;
  }
}

function turnOf(notification: Notification): string | null {
  if (!("params" in notification)) return null;
  const { params } = notification;
  if ("turn" in params) return params.turn.id;
  return "turnId" in params ? params.turnId : null;
}

function itemStarted(record: TurnRecord, item: Item): TurnRecord {
  const next: TurnRecord = { ...record, retriedError: null };
  return isTool(item) ? { ...next, tools: new Set([...record.tools, item.id]) } : next;
}

function itemCompleted(record: TurnRecord, item: Item): TurnRecord {
  const tools = new Set(record.tools);
  tools.delete(item.id);
  const hadSideEffects = record.hadSideEffects || isTool(item);
  const next: TurnRecord = { ...record, tools, hadSideEffects, retriedError: null };
  if (item.type === "agentMessage") return { ...next, messages: [...record.messages, item] };
  if (item.type !== "commandExecution") return next;
  return {
    ...next,
    ranCommands: true,
    brokenSandbox:
      record.brokenSandbox ?? bubblewrapError(item.exitCode ?? null, item.aggregatedOutput ?? ""),
  };
}

function withRetriedError(record: TurnRecord, failure: Failure, at: number): TurnRecord {
  return { ...record, retriedError: { since: record.retriedError?.since ?? at, failure } };
}

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
    const message = `Codex has been reconnecting for ${seconds(now - retriedError.since)} without success: ${retriedError.failure.message}`;
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
