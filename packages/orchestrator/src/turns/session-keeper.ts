import {
  type Agent,
  type AgentSession,
  type LoopState,
  orAborted,
  type ProcessScope,
  type TurnEvent,
} from "@ccw-loop/core";

/** How the sessions of one agent are opened. */
export interface KeeperOptions {
  agent: (state: LoopState) => Promise<Agent>;
  /** The conversation with it that is on record. */
  recorded: (state: LoopState) => LoopState["agent"];
  model: (state: LoopState) => string | undefined;
  cwd: string;
  scope: ProcessScope;
  instructions: () => Promise<string>;
  /** Whether it is to change no file, as far as the agent can be kept from that. */
  readOnly?: boolean;
}

/**
 * The session with one agent in a run: one for the whole loop, or (`--session fresh`) one per action. Opens it when
 * it is first needed and continues the conversation that was begun here, or that the state file names.
 */
export class SessionKeeper {
  readonly #options: KeeperOptions;
  #session: AgentSession | undefined;
  /** The conversation to continue when it is opened again. */
  #sessionId: string | null = null;
  #driver = "";
  #listener: (event: TurnEvent) => void = () => undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get current(): AgentSession | undefined {
    return this.#session;
  }

  get driver(): string {
    return this.#driver;
  }

  /**
   * Tells `listener` what happens while it is opened. Rejects with the signal's reason when it aborts first; a session that
   * opens later is closed at once.
   */
  async get(
    state: LoopState,
    signal: AbortSignal,
    listener: (event: TurnEvent) => void = () => undefined,
  ): Promise<AgentSession> {
    if (this.#session) return this.#session;
    this.#listener = listener;
    const opening = this.#open(state, signal);
    try {
      this.#session = await orAborted(opening, signal);
      return this.#session;
    } catch (error) {
      opening.then((late) => late.close()).catch(() => undefined);
      throw error;
    } finally {
      this.#listener = () => undefined;
    }
  }

  /** Ends the session's processes; the next `get` opens it again. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#sessionId = session?.id ?? this.#sessionId;
    await session?.close();
  }

  /** Closes it for good: the next `get` begins a new conversation, unless the state names one. */
  async forget(): Promise<void> {
    await this.close().finally(() => {
      this.#sessionId = null;
    });
  }

  async #open(state: LoopState, signal: AbortSignal): Promise<AgentSession> {
    const { agent: agentOf, recorded: recordedIn, model, ...place } = this.#options;
    const { cwd, scope, instructions, readOnly = false } = place;
    const agent = await agentOf(state);
    this.#driver = agent.driver;
    const recorded = recordedIn(state);
    const named = recorded?.driver === agent.driver && state.settings?.session !== "fresh";
    const sessionId = this.#sessionId ?? (named ? (recorded?.session_id ?? null) : null);
    const copied = sessionId === null && named ? recorded?.fork_of : undefined;
    return agent.open({
      cwd,
      scope,
      signal,
      sessionId,
      ...(copied ? { forkOf: copied } : {}),
      instructions: await instructions(),
      model: model(state),
      ...(readOnly ? { readOnly } : {}),
      onEvent: (event) => this.#listener(event),
    });
  }
}
