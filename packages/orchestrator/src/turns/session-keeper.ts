import type { Agent, AgentSession, LoopState, TurnEvent } from "@ccw-loop/core";

interface Options {
  agent: (state: LoopState) => Promise<Agent>;
  cwd: string;
  instructions: string;
}

/**
 * The agent session of a run: one for the whole loop, or (`--session fresh`) one per action. Opens it when
 * it is first needed and continues the conversation that the state file names.
 */
export class SessionKeeper {
  readonly #options: Options;
  #session: AgentSession | undefined;
  #driver = "";
  /** Hears what the session does; the running turn sets it. */
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

  async get(state: LoopState): Promise<AgentSession> {
    if (this.#session) return this.#session;
    const agent = await this.#options.agent(state);
    this.#driver = agent.driver;
    const known = state.agent?.driver === agent.driver && state.settings?.session !== "fresh";
    this.#session = await agent.open({
      cwd: this.#options.cwd,
      sessionId: known ? (state.agent?.session_id ?? null) : null,
      instructions: this.#options.instructions,
      model: state.settings?.model,
      onEvent: (event) => this.listener(event),
    });
    return this.#session;
  }

  /** Ends the session's processes; the next `get` opens it again. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }
}
