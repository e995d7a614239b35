import { classifyTurnError } from "../failure/classify.ts";
import type { Failure } from "../failure/failure.ts";
import { bubblewrapError } from "../failure/sandbox-complaint.ts";
import { type AgentMessage, type Item, isTool } from "../protocol/items.ts";
import type { EndedTurn, Notification } from "../protocol/notifications.ts";

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
  worked: boolean;
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
    worked: false,
    ranCommands: false,
    retriedError: null,
    brokenSandbox: null,
    end: null,
  };
}

/** The record after one more notification. What belongs to other turns only shows that Codex is alive. */
export function observe(record: TurnRecord, heard: Notification, at: number): TurnRecord {
  const next = { ...record, heardAt: at };
  switch (heard.method) {
    case "turn/started":
      return record.turnId === null ? { ...next, turnId: heard.params.turn.id } : next;
    case "turn/completed":
      return heard.params.turn.id === record.turnId ? { ...next, end: heard.params.turn } : next;
    case "item/started":
      return isOurs(record, heard.params) ? itemStarted(next, heard.params.item) : next;
    case "item/completed":
      return isOurs(record, heard.params) ? itemCompleted(next, heard.params.item) : next;
    case "item/agentMessage/delta":
    case "item/commandExecution/outputDelta":
      return isOurs(record, heard.params) ? { ...next, retriedError: null } : next;
    case "error":
      return isOurs(record, heard.params) && heard.params.willRetry
        ? withRetriedError(next, classifyTurnError(heard.params.error), at)
        : next;
    default:
      return next;
  }
}

function isOurs(record: TurnRecord, { turnId }: { turnId: string }): boolean {
  return turnId === record.turnId;
}

function itemStarted(record: TurnRecord, item: Item): TurnRecord {
  const next = { ...record, trouble: null };
  return isTool(item) ? { ...next, tools: new Set([...record.tools, item.id]) } : next;
}

function itemCompleted(record: TurnRecord, item: Item): TurnRecord {
  const tools = new Set(record.tools);
  tools.delete(item.id);
  const next = { ...record, tools, trouble: null, worked: record.worked || isTool(item) };
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
