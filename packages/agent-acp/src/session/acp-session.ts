import type {
  AgentSession,
  OpenOptions,
  TokenUsage,
  TurnEvent,
  TurnOptions,
  TurnResult,
} from "@ccw-loop/core";
import { SessionWork } from "@ccw-loop/processes";
import { loopErrorOf, openingErrorOf } from "../failure/failure.ts";
import { sumOf } from "../turn/usage.ts";
import { Conversation } from "./conversation.ts";
import type { ConversationSpec } from "./conversation-spec.ts";
import { execContained } from "./exec.ts";

/** So often an agent that ends its turn at a refused question is asked to go on. */
const MOST_REFUSALS = 5;

/** One conversation with an agent as the product sees it. */
export class AcpSession implements AgentSession {
  readonly #spec: ConversationSpec;
  readonly #conversation: Conversation;
  readonly #work = new SessionWork();
  readonly #onEvent: (event: TurnEvent) => void;
  #turn: TurnOptions | null = null;
  /** What the earlier prompts of the turn used. */
  #used: TokenUsage | null = null;
  #closed: Promise<void> | null = null;
  /** Only where the agent is contained: contained as it is. */
  readonly exec?: NonNullable<AgentSession["exec"]>;

  private constructor(
    spec: ConversationSpec,
    sessionId: string | null,
    onEvent: ((event: TurnEvent) => void) | undefined,
  ) {
    this.#spec = spec;
    this.#onEvent = onEvent ?? (() => undefined);
    this.#conversation = new Conversation(spec, sessionId, (event) => this.#emit(event));
    const { contained } = spec;
    if (contained === null) return;
    this.exec = (command, options) =>
      this.#work.run(options.signal, (signal) =>
        execContained(spec, contained, command, { ...options, signal }),
      );
  }

  /** Throws when the agent cannot be used here, and at an abort; nothing of it runs then. */
  static async open(
    spec: ConversationSpec,
    { sessionId = null, signal, onEvent }: Pick<OpenOptions, "sessionId" | "signal" | "onEvent">,
  ): Promise<AcpSession> {
    const session = new AcpSession(spec, sessionId, onEvent);
    try {
      const opened = await session.#conversation.ready(signal ?? new AbortController().signal);
      signal?.throwIfAborted();
      if (!opened.ok) throw openingErrorOf(opened.failure, spec);
      return session;
    } catch (error) {
      await session.#conversation.drop();
      await spec.release();
      throw error;
    }
  }

  get id(): string | null {
    return this.#conversation.sessionId;
  }

  run(prompt: string, options: TurnOptions): Promise<TurnResult> {
    return this.#work.run(options.signal, async (signal) => {
      this.#turn = options;
      try {
        return await this.#prompt(prompt, signal);
      } finally {
        this.#turn = null;
      }
    });
  }

  async steer(text: string): Promise<void> {
    await this.#conversation.steer(text);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Throws a LoopError when the turn fails, and `signal.reason` on abort. The conversation can be used again in any case. */
  async #prompt(prompt: string, signal: AbortSignal): Promise<TurnResult> {
    const conversation = this.#conversation;
    const { profile } = this.#spec;
    let text = prompt;
    this.#used = null;
    for (let refusals = 1; ; refusals++) {
      const end = await conversation.turn(text, signal);
      if (end.type === "aborted" || signal.aborted) throw signal.reason;
      this.#used = sumOf(this.#used, conversation.usageOf(end));
      if (end.type === "failed") {
        if (end.failure.kind === "crash") await conversation.drop();
        throw loopErrorOf(end.failure, profile);
      }
      const { declined } = end;
      const isCutShort = profile.refusalEndsTurn && declined !== undefined;
      if (!isCutShort || refusals > MOST_REFUSALS) {
        return { text: end.text, usage: this.#used, turn_id: null };
      }
      this.#emit({ type: "turn.retried", reason: `Declined: ${declined}`, attempt: refusals });
      text = afterRefusal(declined);
    }
  }

  async #close(): Promise<void> {
    await this.#work.close();
    await this.#conversation.close();
    await this.#spec.release();
  }

  /** A turn's own events go to the turn alone; to its usage belongs that of its earlier prompts. */
  #emit(event: TurnEvent): void {
    const told =
      event.type === "usage.updated"
        ? { ...event, usage: sumOf(this.#used, event.usage) ?? event.usage }
        : event;
    if (this.#turn) this.#turn.onEvent?.(told);
    else this.#onEvent(told);
  }
}

function afterRefusal(declined: string): string {
  return `This was declined, and will be again: ${declined}. Nothing else has changed. Go on with the task without it: work with plain commands and files inside of the project.`;
}
