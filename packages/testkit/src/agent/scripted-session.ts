import {
  type AgentSession,
  type ExecOptions,
  type ExecResult,
  LoopError,
  type TurnOptions,
  type TurnResult,
} from "@ccw-loop/core";
import { type ProcessTree, SessionWork } from "@ccw-loop/processes";
import { type Commands, commands } from "../process/commands.ts";
import {
  chooseTurn,
  MAX_TIMER_MS,
  playTurn,
  type SteeringInbox,
  steeringInbox,
  tokenUsage,
} from "./play.ts";
import type { AgentScript, Turn } from "./script-schema.ts";
import { type SessionFiles, type SessionRecord, withPrompt, withTurn } from "./session-file.ts";

export interface SessionDeps {
  cwd: string;
  /** A new one with each call. */
  family: () => ProcessTree;
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
  steering: SteeringInbox;
  options: TurnOptions;
}

/** One conversation that follows the script. */
export class ScriptedSession implements AgentSession {
  readonly #deps: SessionDeps;
  readonly #processes: Commands;
  /** For what runs outside of turns: its end must not take what turns left running. */
  readonly #commands: Commands;
  readonly #work = new SessionWork();
  #record: SessionRecord;
  #saved: Promise<void> = Promise.resolve();
  #turn: RunningTurn | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#record = deps.record;
    this.#processes = commands(deps.family());
    this.#commands = commands(deps.family());
  }

  get id(): string {
    return this.#record.session_id;
  }

  async run(prompt: string, options: TurnOptions): Promise<TurnResult> {
    return this.#work.run(options.signal, async (signal) => {
      const told = steeringInbox();
      this.#turn = { steering: told, options };
      try {
        return await this.#play(prompt, { ...options, signal }, told);
      } finally {
        this.#turn = undefined;
      }
    });
  }

  async exec(command: string, { signal, timeoutMs }: ExecOptions): Promise<ExecResult> {
    return this.#work.run(signal, (either) =>
      runCommand(command, this.#deps.cwd, this.#commands, { signal: either, timeoutMs }),
    );
  }

  async steer(text: string): Promise<void> {
    if (!this.#turn) {
      throw new LoopError("invalid_input", "No turn is under way that could be steered.");
    }
    this.#turn.steering.add(text);
    this.#turn.options.onEvent?.({ type: "message.completed", text: `Noted: ${text}` });
    await this.#save(withPrompt(this.#record, text));
  }

  async close(): Promise<void> {
    await this.#work.close();
    await Promise.all([this.#processes.end(), this.#commands.end()]);
  }

  async #play(prompt: string, options: TurnOptions, told: SteeringInbox): Promise<TurnResult> {
    const { cwd, source, pace, now } = this.#deps;
    const { signal } = options;
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
      const { usage } = chosen.turn;
      const { record, turn_id } = withTurn(this.#record);
      await this.#save(record);
      return { text: end, usage: usage ? tokenUsage(usage) : null, turn_id };
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

const OUTPUT_KEPT = 64 * 1024;

/**
 * Runs a command outside of any turn, in a scope of its own: however it ends, no process of the scope is
 * alive when this settles. Rejects with the reason when `signal` aborts.
 */
export async function runCommand(
  command: string,
  cwd: string,
  processes: Commands,
  { signal, timeoutMs }: ExecOptions,
): Promise<ExecResult> {
  const limit = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
  const stop = AbortSignal.any([signal, limit]);
  const end = () => void processes.end().catch(() => undefined);
  stop.addEventListener("abort", end, { once: true });
  let output = "";
  try {
    const exit_code = await processes.run(command, cwd, (text) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    });
    const timed_out = limit.aborted;
    signal.throwIfAborted();
    return { exit_code: timed_out ? null : exit_code, output, timed_out };
  } finally {
    stop.removeEventListener("abort", end);
    await processes.end();
  }
}
