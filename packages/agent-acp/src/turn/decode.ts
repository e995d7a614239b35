import type { TurnEvent } from "@ccw-loop/core";
import { at, textAt } from "../json.ts";
import type { Profile } from "../launch/profiles.ts";
import { ToolCall, type ToolReading } from "./tool-call.ts";
import type { ToolFacts } from "./tool-facts.ts";

/** A message has less. */
const MAX_MESSAGE = 8 * 1024 * 1024;

/** What of a profile frames are read by. */
export type FrameReading = ToolReading & Pick<Profile, "asides" | "title">;

/**
 * What the frames of one turn tell, in their order. Has no effects, and takes any frame: what it does not know, thoughts
 * and plans are nothing. The frames of earlier turns that come late are told by the ids of their tool calls.
 */
export class TurnDecoder {
  readonly #cwd: string;
  readonly #reading: FrameReading;
  readonly #late: ReadonlySet<string>;
  readonly #tools = new Map<string, ToolCall>();
  #message = "";
  #messageId: string | undefined;
  #lastMessage = "";
  /** The conversation was made shorter: its first words may be gone. */
  compacted = false;

  constructor(cwd: string, reading: FrameReading, late: ReadonlySet<string> = new Set()) {
    this.#cwd = cwd;
    this.#reading = reading;
    this.#late = late;
  }

  /** Of every tool call of this turn. */
  get toolIds(): ReadonlySet<string> {
    return new Set(this.#tools.keys());
  }

  /** The tool call that is at work, the last of several; meanwhile the model's silence means nothing. */
  get atWork(): ToolCall | undefined {
    return [...this.#tools.values()].findLast(({ isOver }) => !isOver);
  }

  /** Whether a command is at work, another one than `except`. */
  isCommandAtWork(except?: ToolCall): boolean {
    const calls = [...this.#tools.values()];
    return calls.some((call) => call !== except && call.isCommand && !call.isOver);
  }

  /** What was said behind the last tool call; it is the answer when the turn ends now. */
  get answer(): string {
    return this.#message;
  }

  /** What was said last, before or behind tool calls. */
  get lastWords(): string {
    return this.#message.trim() === "" ? this.#lastMessage : this.#message;
  }

  /** Takes in the `update` of a `session/update`. */
  update(update: unknown): TurnEvent[] {
    switch (textAt(update, "sessionUpdate")) {
      case "agent_message_chunk":
        return this.#chunk(update);
      case "tool_call":
      case "tool_call_update":
        return this.#tool(update);
      case "compaction_update":
        if (textAt(update, "status") !== "completed") return [];
        this.compacted = true;
        return [{ type: "context.compacted" }];
      case "notice": {
        if (textAt(update, "severity") === "info") return [];
        return warning(textAt(update, "title"));
      }
      case "session_info_update":
        return warning(textAt(update, "_meta", "jetbrains", "air", "warning", "title"));
      default:
        return [];
    }
  }

  /** A question about a tool call, which may be the first that is heard of it, and what it asks. */
  asked(frame: unknown): { call: ToolCall; asked: ToolFacts; events: TurnEvent[] } {
    const id = textAt(frame, "toolCallId") ?? "";
    const { call, events } = this.#callOf(id, (known) => known.isOtherThan(frame));
    return { call, asked: call.asked(frame), events };
  }

  /** The turn is over: what was not told any more. */
  end(): TurnEvent[] {
    return [...[...this.#tools.values()].flatMap((call) => call.end()), ...this.#endMessage()];
  }

  #chunk(update: unknown): TurnEvent[] {
    const text = textAt(update, "content", "text");
    if (text === undefined || text === "") return [];
    if (textAt(update, "_meta", "claudeCode", "kind") === "informational") return [];
    if (this.#reading.asides?.test(text)) return warning(`${this.#reading.title}: ${text.trim()}`);
    const id = textAt(update, "messageId");
    const isNext = id !== undefined && this.#messageId !== undefined && id !== this.#messageId;
    const ended = isNext ? this.#endMessage() : [];
    this.#messageId = id ?? this.#messageId;
    if (this.#message.length + text.length > MAX_MESSAGE) return ended;
    this.#message += text;
    return [...ended, { type: "message.delta", text }];
  }

  #tool(update: unknown): TurnEvent[] {
    const id = textAt(update, "toolCallId") ?? "";
    const begins = textAt(update, "sessionUpdate") === "tool_call";
    if (!begins && this.#late.has(id) && !this.#tools.has(id)) return [];
    // Some agents count their calls anew.
    const { call, events } = this.#callOf(id, ({ isOver }) => begins && isOver);
    return [...events, ...call.update(update)];
  }

  /** The tool call of this id; a new one, which ends what was said before it, unless there is one and it is no other. */
  #callOf(id: string, isOther: (known: ToolCall) => boolean) {
    const known = this.#tools.get(id);
    if (known && !isOther(known)) return { call: known, events: [] };
    const call = new ToolCall(this.#cwd, this.#reading);
    this.#tools.set(id, call);
    return { call, events: [...(known?.end() ?? []), ...this.#endMessage()] };
  }

  #endMessage(): TurnEvent[] {
    const text = this.#message;
    this.#message = "";
    this.#messageId = undefined;
    if (text.trim() === "") return [];
    this.#lastMessage = text;
    return [{ type: "message.completed", text }];
  }
}

function warning(message: string | undefined): TurnEvent[] {
  return message === undefined || message === "" ? [] : [{ type: "warning.raised", message }];
}

/** The words of a failure that a turn's answer carries, and the group that it belongs to. */
export function sessionFailureIn(result: unknown): { category: string; title: string } | null {
  const failure = at(result, "_meta", "jetbrains", "air", "sessionFailure");
  const title = textAt(failure, "title");
  if (title === undefined) return null;
  return { category: textAt(failure, "category") ?? "unknown", title };
}
