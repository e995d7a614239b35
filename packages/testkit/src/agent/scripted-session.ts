import {
  type AgentSession,
  LoopError,
  type TokenUsage,
  type TurnOptions,
  type TurnResult,
} from "@ccw-loop/core";
import { type ProcessScope, processScope } from "../process/process-scope.ts";
import { chooseTurn, playTurn } from "./play-turn.ts";
import type { AgentScript, Turn } from "./script-schema.ts";
import { type SessionFiles, type SessionRecord, withPrompt } from "./session-file.ts";
import { type Steering, steering } from "./steering.ts";

export interface SessionDeps {
  cwd: string;
  record: SessionRecord;
  files: SessionFiles;
  /** The script as it is now. */
  script: () => Promise<AgentScript>;
  /** How messages name the script. */
  source: string;
  pace: number;
  now: () => Date;
}

interface RunningTurn {
  steering: Steering;
  options: TurnOptions;
  over: Promise<TurnResult>;
}

/** One conversation that follows the script. */
export class ScriptedSession implements AgentSession {
  readonly #deps: SessionDeps;
  readonly #processes: ProcessScope;
  readonly #closing = new AbortController();
  #record: SessionRecord;
  #saved: Promise<void> = Promise.resolve();
  #turn: RunningTurn | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#record = deps.record;
    this.#processes = processScope(deps.record.session_id);
  }

  get id(): string {
    return this.#record.session_id;
  }

  async run(prompt: string, options: TurnOptions): Promise<TurnResult> {
    if (this.#closing.signal.aborted) throw refused("The agent session is closed. Open it again.");
    if (this.#turn) throw refused("A turn is under way. Wait until it ends, or steer it.");
    options.signal.throwIfAborted();
    const told = steering();
    const over = this.#play(prompt, options, told);
    this.#turn = { steering: told, options, over };
    try {
      return await over;
    } finally {
      this.#turn = undefined;
    }
  }

  async steer(text: string): Promise<void> {
    if (!this.#turn) throw refused("No turn is under way that could be steered.");
    this.#turn.steering.add(text);
    this.#turn.options.onEvent?.({ type: "message.completed", text: `Noted: ${text}` });
    await this.#save(withPrompt(this.#record, text));
  }

  async close(): Promise<void> {
    this.#closing.abort(
      new LoopError("agent_died", "The agent session was closed while a turn was under way."),
    );
    await this.#turn?.over.catch(() => undefined);
    await this.#processes.end();
  }

  /** Ends what an earlier process of the same conversation left running. */
  async takeOver(): Promise<void> {
    await this.#processes.end();
  }

  async #play(prompt: string, options: TurnOptions, told: Steering): Promise<TurnResult> {
    const { cwd, source, pace, now } = this.#deps;
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const endProcesses = () => void this.#processes.end().catch(() => undefined);
    signal.addEventListener("abort", endProcesses, { once: true });
    try {
      const script = await this.#deps.script();
      const chosen = chooseTurn(script, this.#record.used, prompt, source);
      await this.#save(withPrompt(this.#record, prompt));
      if (chosen.turn.once) await this.#useUp(chosen.turn, chosen.index);
      signal.throwIfAborted();
      const end = await playTurn(chosen, {
        cwd,
        signal,
        emit: (event) => options.onEvent?.(event),
        processes: this.#processes,
        steering: told,
        pace,
        now,
      });
      await this.#useUp(chosen.turn, chosen.index);
      if (typeof end !== "string") throw end;
      return { text: end, usage: usageOf(chosen.turn) };
    } catch (error) {
      if (!signal.aborted) throw error;
      await this.#processes.end();
      throw signal.reason;
    } finally {
      signal.removeEventListener("abort", endProcesses);
    }
  }

  /** The turn is not played again, unless it repeats. */
  async #useUp({ repeat }: Turn, index: number): Promise<void> {
    const { used } = this.#record;
    if (!repeat && !used.includes(index))
      await this.#save({ ...this.#record, used: [...used, index] });
  }

  async #save(record: SessionRecord): Promise<void> {
    this.#record = record;
    this.#saved = this.#saved.then(() => this.#deps.files.save(record));
    await this.#saved;
  }
}

function usageOf({ usage }: Turn): TokenUsage | null {
  if (!usage) return null;
  return {
    input_tokens: usage.input,
    cached_input_tokens: usage.cached,
    output_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  };
}

function refused(message: string): LoopError {
  return new LoopError("invalid_input", message);
}
