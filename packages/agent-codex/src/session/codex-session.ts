import {
  type AgentSession,
  LoopError,
  type TurnEvent,
  type TurnOptions,
  type TurnResult,
} from "@ccw-loop/core";
import { openingErrorOf } from "../failure/loop-error.ts";
import type { CodexLimits } from "../options.ts";
import { Conversation, type ConversationSpec } from "./conversation.ts";
import { drive } from "./drive.ts";

interface Run {
  /** Resolves when the run is over, however it ended. */
  over: Promise<void>;
  onEvent: TurnOptions["onEvent"];
}

/** One Codex conversation as the product sees it. */
export class CodexSession implements AgentSession {
  readonly #conversation: Conversation;
  readonly #limits: CodexLimits;
  readonly #closing = new AbortController();
  readonly #onEvent: (event: TurnEvent) => void;
  #run: Run | null = null;
  #closed: Promise<void> | null = null;

  private constructor(
    spec: ConversationSpec,
    sessionId: string | null,
    onEvent: ((event: TurnEvent) => void) | undefined,
  ) {
    this.#limits = spec.limits;
    this.#onEvent = onEvent ?? (() => undefined);
    this.#conversation = new Conversation(spec, sessionId, (event) => this.#emit(event));
  }

  /** Throws when Codex cannot be used here; nothing of it runs then. */
  static async open(
    spec: ConversationSpec,
    sessionId: string | null,
    onEvent?: (event: TurnEvent) => void,
  ): Promise<CodexSession> {
    const session = new CodexSession(spec, sessionId, onEvent);
    const failure = await session.#conversation.ready(session.#closing.signal, true);
    if (failure) throw openingErrorOf(failure);
    return session;
  }

  get id(): string | null {
    return this.#conversation.id;
  }

  async run(prompt: string, options: TurnOptions): Promise<TurnResult> {
    if (this.#closed) throw refused("The agent session is closed. Open it again.");
    if (this.#run) throw refused("A turn is under way. Wait until it ends, or steer it.");
    options.signal.throwIfAborted();
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const context = {
      conversation: this.#conversation,
      limits: this.#limits,
      emit: (event: TurnEvent) => this.#emit(event),
    };
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    this.#run = { over, onEvent: options.onEvent };
    try {
      return await drive(context, prompt, { ...options, signal });
    } finally {
      this.#run = null;
      end();
    }
  }

  async steer(text: string): Promise<void> {
    if (this.#run && (await this.#conversation.steer(text))) return;
    throw refused("No turn is under way that could be steered.");
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const message = "The agent session was closed while a turn was under way.";
    this.#closing.abort(new LoopError("agent_died", message));
    await this.#run?.over;
    await this.#conversation.close();
  }

  /** A turn's own events go to the turn alone. */
  #emit(event: TurnEvent): void {
    if (this.#run) this.#run.onEvent?.(event);
    else this.#onEvent(event);
  }
}

function refused(message: string): LoopError {
  return new LoopError("invalid_input", message);
}
