import {
  type Agent,
  type AgentSession,
  type LoopState,
  orAborted,
  type ProcessScope,
  type TurnEvent,
} from "@ccw-loop/core";

interface Options {
  agent: (state: LoopState) => Promise<Agent>;
  cwd: string;
  scope: ProcessScope;
  instructions: () => Promise<string>;
}

/**
 * The agent session of a run: one for the whole loop, or (`--session fresh`) one per action. Opens it when
 * it is first needed and continues the conversation that was begun here, or that the state file names.
 */
export class SessionKeeper {
  readonly #options: Options;
  #session: AgentSession | undefined;
  /** The conversation to continue when it is opened again. */
  #sessionId: string | null = null;
  #driver = "";
  /** Gets what the session does; the running turn sets it. */
  listener: (event: TurnEvent) => void = () => undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  get current(): AgentSession | undefined {
    return this.#session;
  }

  get driver(): string {
    return this.#driver;
  }

  /** Rejects with the signal's reason when it aborts first; a session that opens later is closed at once. */
  async get(state: LoopState, signal: AbortSignal): Promise<AgentSession> {
    if (this.#session) return this.#session;
    const opening = this.#open(state, signal);
    try {
      this.#session = await orAborted(opening, signal);
      return this.#session;
    } catch (error) {
      opening.then((late) => late.close()).catch(() => undefined);
      throw error;
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
    const agent = await this.#options.agent(state);
    this.#driver = agent.driver;
    const named = state.agent?.driver === agent.driver && state.settings?.session !== "fresh";
    const sessionId = this.#sessionId ?? (named ? (state.agent?.session_id ?? null) : null);
    const copied = sessionId === null && named ? state.agent?.fork_of : undefined;
    return agent.open({
      cwd: this.#options.cwd,
      scope: this.#options.scope,
      signal,
      sessionId,
      ...(copied ? { forkOf: copied } : {}),
      instructions: await this.#options.instructions(),
      model: state.settings?.model,
      onEvent: (event) => this.listener(event),
    });
  }
}
