import { setTimeout as delay } from "node:timers/promises";
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
import { type Failure, openingErrorOf } from "../failure/failure.ts";
import { recover, type Tries } from "../failure/recovery.ts";
import type { CodexLimits } from "../options.ts";
import { Conversation } from "./conversation.ts";
import type { ConversationSpec } from "./conversation-spec.ts";

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
    const opened = await session.#conversation.ready(signal ?? new AbortController().signal);
    if (signal?.aborted) await session.close();
    signal?.throwIfAborted();
    if (!opened.ok) throw openingErrorOf(opened.failure, spec.login);
    return session;
  }

  get id(): string | null {
    return this.#conversation.log.sessionId;
  }

  run(prompt: string, options: TurnOptions): Promise<TurnResult> {
    return this.#work.run(options.signal, async (signal) => {
      this.#turn = options;
      try {
        return await this.#prompt(prompt, options.outputSchema, signal);
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

  /**
   * Brings one prompt to its result, through every failure that can be recovered from. Throws a LoopError for
   * the others, and `signal.reason` on abort. The conversation can be used again in any case, also after a crash.
   */
  async #prompt(
    prompt: string,
    outputSchema: TurnOptions["outputSchema"],
    signal: AbortSignal,
  ): Promise<TurnResult> {
    const conversation = this.#conversation;
    conversation.log.promptBegins();
    let tries: Tries = {};
    let text = prompt;
    for (;;) {
      const end = await conversation.turn(text, outputSchema, signal);
      if (end.type === "completed") {
        return { text: end.text, usage: conversation.log.usage, turn_id: end.turnId };
      }
      if (end.type === "aborted" || signal.aborted) throw signal.reason;
      const next = recover(end.failure, tries, this.#limits, Math.random());
      if (end.failure.kind === "crash") await conversation.drop();
      if (!end.hadSideEffects) await conversation.revert(end.turnId);
      if (next.do === "give_up") throw conversation.errorOf(end.failure);

      tries = next.tries;
      this.#emit({ type: "turn.retried", reason: end.failure.message, attempt: next.attempt });
      // A turn that did nothing is simply sent again; after any other the agent has to know what happened.
      if (end.hadSideEffects) text = continuationPrompt(end.failure.message, prompt);
      await delay(next.delayMs, undefined, { signal }).catch(() => undefined);
      if (next.do === "compact") await this.#compact(end.failure, signal);
      if (signal.aborted) throw signal.reason;
    }
  }

  /** Throws the failure that made it necessary when the conversation cannot be made shorter. */
  async #compact(because: Failure, signal: AbortSignal): Promise<void> {
    const end = await this.#conversation.compact(signal);
    if (end.type !== "failed") return;
    throw this.#conversation.errorOf(end.failure.kind === "context" ? because : end.failure);
  }

  /** Does not try again when Codex dies: nobody knows how far the command came. */
  async #exec(command: string, timeoutMs: number, signal: AbortSignal): Promise<ExecResult> {
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

/** For a turn that did some of its work before the model's side failed. */
function continuationPrompt(reason: string, prompt: string): string {
  return `Your previous turn was cut off (${reason}). What it did is still there: look at the working tree before you change anything, and do nothing twice. Go on where it stopped. The task was:

${prompt}`;
}
