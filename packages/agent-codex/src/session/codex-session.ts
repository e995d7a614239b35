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
import { SessionWork } from "@ccw-loop/processes";
import { openingErrorOf } from "../failure/failure.ts";
import type { CodexLimits } from "../options.ts";
import { Conversation } from "./conversation.ts";
import type { ConversationSpec } from "./conversation-spec.ts";
import { runPrompt } from "./run-prompt.ts";

/** One Codex conversation as the product sees it. */
export class CodexSession implements AgentSession {
  readonly #conversation: Conversation;
  readonly #limits: CodexLimits;
  readonly #work = new SessionWork();
  readonly #onEvent: (event: TurnEvent) => void;
  #turn: TurnOptions | null = null;
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
    const failure = await session.#conversation.ready(signal ?? new AbortController().signal);
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
    return this.#work.run(options.signal, async (signal) => {
      this.#turn = options;
      try {
        return await runPrompt(context, prompt, { ...options, signal });
      } finally {
        this.#turn = null;
      }
    });
  }

  exec(command: string, { signal, timeoutMs }: ExecOptions): Promise<ExecResult> {
    return this.#work.run(signal, (either) => this.#exec(command, timeoutMs, either));
  }

  async steer(text: string): Promise<void> {
    if (this.#turn && (await this.#conversation.steer(text))) return;
    throw new LoopError("invalid_input", "No turn is under way that could be steered.");
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

  async #close(): Promise<void> {
    await this.#work.close();
    await this.#conversation.close();
  }

  /** A turn's own events go to the turn alone; a command has no events of its own. */
  #emit(event: TurnEvent): void {
    if (this.#turn) this.#turn.onEvent?.(event);
    else this.#onEvent(event);
  }
}
