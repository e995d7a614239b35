import {
  type AgentSession,
  type ExecOptions,
  type ExecResult,
  LoopError,
  type OpenOptions,
  type TurnEvent,
  type TurnOptions,
  type TurnResult,
} from "@ccw-loop/core";
import { openingErrorOf } from "../failure/failure.ts";
import type { CodexLimits } from "../options.ts";
import { Conversation } from "./conversation.ts";
import type { ConversationSpec } from "./conversation-spec.ts";
import { runPrompt } from "./run-prompt.ts";

/** The one thing that a session does at a time: a turn or a command. */
interface Work {
  /** Resolves when it is over, however it ended. */
  over: Promise<void>;
  onEvent: TurnOptions["onEvent"];
}

/** One Codex conversation as the product sees it. */
export class CodexSession implements AgentSession {
  readonly #conversation: Conversation;
  readonly #limits: CodexLimits;
  readonly #closing = new AbortController();
  readonly #onEvent: (event: TurnEvent) => void;
  #work: Work | null = null;
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

  /** Throws when Codex cannot be used here, and at an abort; nothing of it runs then. */
  static async open(
    spec: ConversationSpec,
    { sessionId = null, signal, onEvent }: Pick<OpenOptions, "sessionId" | "signal" | "onEvent">,
  ): Promise<CodexSession> {
    const session = new CodexSession(spec, sessionId, onEvent);
    const failure = await session.#conversation.ready(signal ?? session.#closing.signal);
    if (signal?.aborted) await session.close();
    signal?.throwIfAborted();
    if (failure) throw openingErrorOf(failure, spec.login);
    return session;
  }

  get id(): string | null {
    return this.#conversation.log.sessionId;
  }

  run(prompt: string, options: TurnOptions): Promise<TurnResult> {
    const context = {
      conversation: this.#conversation,
      limits: this.#limits,
      emit: (event: TurnEvent) => this.#emit(event),
    };
    return this.#alone(options.signal, options.onEvent, (signal) =>
      runPrompt(context, prompt, { ...options, signal }),
    );
  }

  exec(command: string, { signal, timeoutMs }: ExecOptions): Promise<ExecResult> {
    return this.#alone(signal, this.#onEvent, (either) => this.#exec(command, timeoutMs, either));
  }

  async steer(text: string): Promise<void> {
    if (this.#work && (await this.#conversation.steer(text))) return;
    throw refused("No turn is under way that could be steered.");
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Does not try again when Codex dies: nobody knows how far the command came. */
  async #exec(command: string, timeoutMs: number, signal: AbortSignal): Promise<ExecResult> {
    const failure = await this.#conversation.ready(signal);
    signal.throwIfAborted();
    if (failure) throw this.#conversation.errorOf(failure);
    const end = await this.#conversation.command(command, timeoutMs, signal);
    if (end.type === "ended") return end.result;
    if (end.type === "aborted") throw signal.reason;
    throw this.#conversation.errorOf(end.failure);
  }

  /** Refuses a second piece of work; `signal` of the work aborts when the session is closed, too. */
  async #alone<T>(
    asked: AbortSignal,
    onEvent: TurnOptions["onEvent"],
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw refused("The agent session is closed. Open it again.");
    if (this.#work) {
      throw refused("A turn or a command is under way in this agent session. Wait until it ends.");
    }
    asked.throwIfAborted();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    this.#work = { over, onEvent };
    try {
      return await work(AbortSignal.any([asked, this.#closing.signal]));
    } finally {
      this.#work = null;
      end();
    }
  }

  async #close(): Promise<void> {
    const message = "The agent session was closed while a turn or a command was under way.";
    this.#closing.abort(new LoopError("agent_died", message));
    await this.#work?.over;
    await this.#conversation.close();
  }

  /** A turn's own events go to the turn alone; a command has no events of its own. */
  #emit(event: TurnEvent): void {
    if (this.#work) this.#work.onEvent?.(event);
    else this.#onEvent(event);
  }
}

function refused(message: string): LoopError {
  return new LoopError("invalid_input", message);
}
