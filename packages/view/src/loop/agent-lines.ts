import type { Activity } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";
import type { Tone } from "../text/paint.ts";

type AgentEvent = Activity["event"];

/** The one line that says what an agent did, or undefined for what takes more or is not worth one. */
export function agentLine(event: AgentEvent): { tone: Tone; text: string } | undefined {
  switch (event.type) {
    case "command.started":
      return { tone: "name", text: `$ ${event.command}` };
    case "files.changed":
      return { tone: "quiet", text: `changed ${event.paths.join(", ")}` };
    case "approval.answered":
      return { tone: "warning", text: `${event.decision}: ${event.request}` };
    case "turn.retried":
      return { tone: "warning", text: `trying again (${event.attempt}): ${event.reason}` };
    case "verify.progress":
      return { tone: "quiet", text: progressText(event) };
    case "warning.raised":
      return { tone: "warning", text: event.message };
    case "context.compacted":
      return { tone: "quiet", text: "the conversation was compacted" };
    default:
      return undefined;
  }
}

/** `npm test: 12 of 40 tests done, 1 failed, 31s; running: cart > half`. */
function progressText(event: Extract<AgentEvent, { type: "verify.progress" }>): string {
  const { command, done, failed, running, total, elapsed_ms } = event;
  const of = total !== undefined && total >= done ? ` of ${total}` : "";
  const tests = done === 0 && running.length === 0 ? "running" : `${done}${of} tests done`;
  const red = failed > 0 ? `, ${failed} failed` : "";
  const now = running.length > 0 ? `; running: ${running.join(", ")}` : "";
  return `${command}: ${tests}${red}, ${formatDuration(elapsed_ms)}${now}`;
}

/** A piece of what a command or the tests print; it may begin and end anywhere. */
export function outputOf(event: AgentEvent): string | undefined {
  return event.type === "command.output" || event.type === "verify.output" ? event.text : undefined;
}

/** Whether a message begins like an ACTION_RESULT, as a JSON object or as a text block. */
export function isResult(beginning: string): boolean {
  return /^\s*(\{|`{3}|[*_#\s]*ACTION_RESULT)/.test(beginning);
}

/** What a whole message says to a person: the `message` of an ACTION_RESULT, else the text itself. */
export function messageOf(text: string): string {
  if (!text.trimStart().startsWith("{")) return text;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && "message" in value;
    return isObject && typeof value.message === "string" ? value.message : text;
  } catch {
    return text;
  }
}
