import {
  type AgentSession,
  isLoopError,
  type LoopEventOf,
  type LoopState,
  ownAgent,
  type ProcessScope,
  type Settings,
  type TurnEvent,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { SessionKeeper } from "./session-keeper.ts";

/** Why an agent cannot be used here; another one may be. */
const UNUSABLE = [
  "agent_unavailable",
  "agent_unauthorized",
  "agent_misconfigured",
  "sandbox_unavailable",
] as const;

interface Options {
  deps: Pick<OrchestratorDeps, "agent" | "agentProblem">;
  cwd: string;
  scope: ProcessScope;
  instructions: () => Promise<string>;
}

/** The agents of a run: the loop's own, and those that tasks or a usage limit bring in, each with a conversation of its own. */
export class Sessions {
  readonly #options: Options;
  readonly #own: SessionKeeper;
  readonly #others = new Map<string, SessionKeeper>();
  /** Agents that could not be used in this run; the loop's own does their work. */
  readonly #unusable = new Set<string>();
  /** The name of the one that works; null for the loop's own. */
  #name: string | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#own = this.#keeper({
      agent: (settings) => options.deps.agent(settings),
      recorded: ({ agent }) => agent,
      model: ({ settings }) => settings?.model,
    });
  }

  /** Null for the loop's own agent. */
  get name(): string | null {
    return this.#name;
  }

  get active(): SessionKeeper {
    const name = this.#name;
    if (name === null) return this.#own;
    const keeper = this.#others.get(name) ?? this.#other(name);
    this.#others.set(name, keeper);
    return keeper;
  }

  /** False for one that could not be opened in this run. */
  isUsable(name: string): boolean {
    return !this.#unusable.has(name);
  }

  /** From here on the agent of this name works, if it can. */
  choose(state: LoopState, name: string): void {
    this.#name = name === ownAgent(state) || this.#unusable.has(name) ? null : name;
  }

  /**
   * The session of the agent that works. Where another one than the loop's own cannot be used, `listener` is told why, once in
   * a run, and the loop's own works instead. Rejects as `SessionKeeper.get` does.
   */
  async open(
    state: LoopState,
    signal: AbortSignal,
    listener: (event: TurnEvent) => void,
  ): Promise<AgentSession> {
    const name = this.#name;
    if (name === null) return this.#own.get(state, signal, listener);
    try {
      return await this.active.get(state, signal, listener);
    } catch (error) {
      if (signal.aborted || !isLoopError(error, ...UNUSABLE)) throw error;
      this.#unusable.add(name);
      this.#name = null;
      const message = `${name} cannot be used, so ${ownAgent(state)} does its tasks: ${error.message}`;
      listener({ type: "warning.raised", message });
      return this.#own.get(state, signal, listener);
    }
  }

  /**
   * A conversation with the agent of this name that knows nothing of the loop's own, is on no record and may change no
   * file. Whoever asks for it forgets it.
   */
  reviewer(name: string): SessionKeeper {
    return this.#keeper({
      agent: (settings) => this.#options.deps.agent({ ...settings, agent: name }),
      recorded: () => undefined,
      model: () => undefined,
      instructions: async () => "",
      readOnly: true,
    });
  }

  /** What is recorded of the conversation that is under way; null where it ends for good. */
  attached(at: string, session_id: string | null): LoopEventOf<"agent.attached"> {
    const agent = this.#name === null ? {} : { agent: this.#name };
    return { type: "agent.attached", at, driver: this.active.driver, session_id, ...agent };
  }

  /** The action is over: no other agent than the loop's own keeps a process for longer. */
  async rest({ settings }: LoopState): Promise<void> {
    const { active } = this;
    this.#name = null;
    if (settings?.session === "fresh") await active.forget();
    else if (active !== this.#own) await active.close();
  }

  async close(): Promise<void> {
    await Promise.all([this.#own, ...this.#others.values()].map((one) => one.close()));
  }

  #other(name: string): SessionKeeper {
    return this.#keeper({
      agent: (settings) => this.#options.deps.agent({ ...settings, agent: name }),
      recorded({ agents }) {
        const { driver, session_id = null } = agents?.[name] ?? {};
        return driver === undefined ? undefined : { driver, session_id };
      },
      model: () => undefined,
    });
  }

  #keeper(about: {
    agent: (settings: Settings) => ReturnType<OrchestratorDeps["agent"]>;
    recorded: (state: LoopState) => LoopState["agent"];
    model: (state: LoopState) => string | undefined;
    instructions?: () => Promise<string>;
    readOnly?: boolean;
  }): SessionKeeper {
    const { cwd, scope, instructions } = this.#options;
    const agent = (state: LoopState) => about.agent(state.settings ?? {});
    return new SessionKeeper({ cwd, scope, instructions, ...about, agent });
  }
}
