import { relative, resolve } from "node:path";
import type { TurnEvent } from "@ccw-loop/core";
import { plainCommand } from "@ccw-loop/processes/agent-policy";
import { isInside } from "@ccw-loop/processes/plain-file";
import type { Item, Notification, TurnError } from "../protocol.ts";

const MAX_OUTPUT = 64 * 1024;

/** A sandbox that works says nothing wrong by this; one that does not is found by the preflight. */
const HARMLESS = /^Codex could not find bubblewrap on PATH/;

export interface EventContext {
  cwd: string;
  /** Commands whose output was told while it came. */
  streamed: ReadonlySet<string>;
}

/** What one notification tells to people; nothing for most of them. */
export function eventsOf(notification: Notification, context: EventContext): TurnEvent[] {
  switch (notification.method) {
    case "item/agentMessage/delta":
      return [{ type: "message.delta", text: notification.params.delta }];
    case "item/commandExecution/outputDelta":
      return [{ type: "command.output", text: notification.params.delta }];
    case "item/started":
      return started(notification.params.item);
    case "item/completed":
      return completed(notification.params.item, context);
    case "error":
      return notification.params.willRetry ? [retryWarning(notification.params.error)] : [];
    case "warning":
      return [{ type: "warning.raised", message: notification.params.message }];
    case "configWarning":
      return configWarning(notification.params.summary, notification.params.details);
    case "unreadable": {
      const message = `Codex sent ${notification.original} in a shape that we cannot read: ${notification.problem}`;
      return [{ type: "warning.raised", message }];
    }
    default:
      return [];
  }
}

function started(item: Item): TurnEvent[] {
  if (item.type !== "commandExecution") return [];
  return [{ type: "command.started", command: plainCommand(item.command) }];
}

function completed(item: Item, { cwd, streamed }: EventContext): TurnEvent[] {
  switch (item.type) {
    case "agentMessage":
      return [{ type: "message.completed", text: item.text }];
    case "commandExecution": {
      const command = plainCommand(item.command);
      const text = streamed.has(item.id) ? "" : (item.aggregatedOutput ?? "").slice(-MAX_OUTPUT);
      const output: TurnEvent[] = text === "" ? [] : [{ type: "command.output", text }];
      return [...output, { type: "command.completed", command, exit_code: item.exitCode ?? null }];
    }
    case "fileChange": {
      if (item.status !== "completed") return [];
      const paths = item.changes.flatMap(({ path, kind }) =>
        kind?.move_path ? [path, kind.move_path] : [path],
      );
      return [{ type: "files.changed", paths: paths.map((path) => within(cwd, path)) }];
    }
    case "other":
      return item.kind === "contextCompaction" ? [{ type: "context.compacted" }] : [];
  }
}

function retryWarning({ message, additionalDetails }: TurnError): TurnEvent {
  const why = additionalDetails ? ` (${additionalDetails})` : "";
  return { type: "warning.raised", message: `Codex: ${message}${why}` };
}

function configWarning(summary: string, details: string | null | undefined): TurnEvent[] {
  if (HARMLESS.test(summary)) return [];
  return [{ type: "warning.raised", message: details ? `${summary} ${details}` : summary }];
}

/** Relative to the project for files inside of it. */
function within(cwd: string, path: string): string {
  return (isInside(cwd, path) && relative(cwd, resolve(cwd, path))) || path;
}
