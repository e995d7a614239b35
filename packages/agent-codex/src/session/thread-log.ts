import type { RateLimits, TokenUsage, TurnEvent } from "@ccw-loop/core";
import type { Notification, RateLimitUpdate, Totals } from "../protocol.ts";
import { eventsOf } from "../turn/turn-events.ts";
import { currentLimits, type KnownLimits, Meter, mergeLimits } from "../turn/usage.ts";
import type { OpenThread } from "./connect.ts";

/** What one conversation told so far, across the processes that had it open. */
export class ThreadLog {
  readonly #cwd: string;
  threadId: string | null;
  /**
   * The id that was told as the session's; null before. A thread without a history is on disk, and so worth an id, only
   * once its first turn started.
   */
  sessionId: string | null = null;
  /** The turn that Codex works on, as far as it told. */
  activeTurn: string | null = null;
  #limits: KnownLimits = new Map();
  #streamed: ReadonlySet<string> = new Set();
  #meter = new Meter(false);
  /** What was spent when the present prompt was begun; a prompt can take several turns. */
  #atPrompt: Totals = this.#meter.spent;

  constructor(cwd: string, sessionId: string | null) {
    this.#cwd = cwd;
    this.threadId = sessionId;
  }

  /** What the present prompt has used up to now; null when Codex told nothing. */
  get usage(): TokenUsage | null {
    return this.#meter.usedSince(this.#atPrompt);
  }

  get limits(): RateLimits {
    return currentLimits(this.#limits);
  }

  /** A process is about to open the thread: whatever ran in another one is over. */
  opening(): void {
    this.activeTurn = null;
  }

  opened({ threadId, how, warnings }: OpenThread): TurnEvent[] {
    const hasHistory = how !== "started";
    const isKnown = hasHistory && this.sessionId === threadId;
    if (!isKnown && !this.#meter.measured) this.#meter = new Meter(hasHistory);
    else if (how !== "resumed") this.#meter = new Meter(hasHistory, this.#meter.spent);
    this.threadId = threadId;
    const told = warnings.map((message): TurnEvent => ({ type: "warning.raised", message }));
    if (!hasHistory) return told;
    this.sessionId = threadId;
    const type = how === "resumed" ? "session.resumed" : "session.started";
    return [...told, { type, session_id: threadId }];
  }

  /** From now on usage counts anew. */
  promptBegins(): void {
    this.#atPrompt = this.#meter.spent;
  }

  turnBegins(): void {
    this.#meter.turnStarted();
    this.#streamed = new Set();
  }

  turnReverted(): void {
    this.#meter.turnReverted();
  }

  /** False for what Codex tells about other threads, such as those of its sub-agents. */
  concerns(notification: Notification): boolean {
    if (!("params" in notification && "threadId" in notification.params)) return true;
    return this.threadId === null || notification.params.threadId === this.threadId;
  }

  /** Takes note, and answers what people are to be told. */
  onNotification(notification: Notification): TurnEvent[] {
    switch (notification.method) {
      case "turn/started":
        this.activeTurn = notification.params.turn.id;
        return this.#announce(notification.params.threadId);
      case "turn/completed":
        this.activeTurn = null;
        return [];
      case "account/rateLimits/updated":
        return this.#onLimits(notification.params.rateLimits);
      case "thread/tokenUsage/updated":
        this.#meter.read(notification.params.tokenUsage, this.activeTurn !== null);
        return this.activeTurn === null || !this.usage
          ? []
          : [{ type: "usage.updated", usage: this.usage }];
      case "item/commandExecution/outputDelta":
        this.#streamed = new Set([...this.#streamed, notification.params.itemId]);
    }
    return eventsOf(notification, { cwd: this.#cwd, streamed: this.#streamed });
  }

  #announce(threadId: string): TurnEvent[] {
    if (this.sessionId === threadId) return [];
    this.sessionId = threadId;
    return [{ type: "session.started", session_id: threadId }];
  }

  #onLimits(update: RateLimitUpdate): TurnEvent[] {
    const before = this.limits;
    this.#limits = mergeLimits(this.#limits, update);
    const { limits } = this;
    const same =
      before.used_percent === limits.used_percent && before.resets_at === limits.resets_at;
    return same ? [] : [{ type: "limits.updated", limits }];
  }
}
