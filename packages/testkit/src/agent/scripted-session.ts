import {
  type AgentSession,
  type ExecOptions,
  type ExecResult,
  LoopError,
  type TurnEvent,
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

/** One conversation that follows the script. */
export function scriptedSession(deps: SessionDeps): AgentSession {
  const { cwd, files, source, pace, now } = deps;
  let { record } = deps;
  const processes = commands(deps.family());
  /** For what runs outside of turns: its end must not take what turns left running. */
  const outside = commands(deps.family());
  const work = new SessionWork();
  let saved: Promise<void> = Promise.resolve();
  let turn: { steering: SteeringInbox; options: TurnOptions } | undefined;

  async function play(
    prompt: string,
    options: TurnOptions,
    steering: SteeringInbox,
  ): Promise<TurnResult> {
    const { signal } = options;
    const endProcesses = () => void processes.end().catch(() => undefined);
    signal.addEventListener("abort", endProcesses, { once: true });
    try {
      const chosen = chooseTurn(await deps.script(), record.used, prompt, source);
      await save(withPrompt(record, prompt));
      if (chosen.turn.once) await useUp(chosen.turn, chosen.index);
      signal.throwIfAborted();
      const emit = (event: TurnEvent) => options.onEvent?.(event);
      const end = await playTurn(chosen, { cwd, signal, emit, processes, steering, pace, now });
      await useUp(chosen.turn, chosen.index);
      if (typeof end !== "string") throw end;
      const { usage } = chosen.turn;
      const { record: next, turn_id } = withTurn(record);
      await save(next);
      return { text: end, usage: usage ? tokenUsage(usage) : null, turn_id };
    } catch (error) {
      if (!signal.aborted) throw error;
      await processes.end();
      throw signal.reason;
    } finally {
      signal.removeEventListener("abort", endProcesses);
    }
  }

  /** The turn is not played again, unless it repeats. */
  async function useUp({ repeat }: Turn, index: number): Promise<void> {
    const { used } = record;
    if (!repeat && !used.includes(index)) await save({ ...record, used: [...used, index] });
  }

  async function save(next: SessionRecord): Promise<void> {
    record = next;
    saved = saved.then(() => files.save(next));
    await saved;
  }

  return {
    get id() {
      return record.session_id;
    },
    run: (prompt, options) =>
      work.run(options.signal, async (signal) => {
        const steering = steeringInbox();
        turn = { steering, options };
        try {
          return await play(prompt, { ...options, signal }, steering);
        } finally {
          turn = undefined;
        }
      }),
    exec: (command, { signal, timeoutMs }) =>
      work.run(signal, (either) =>
        runCommand(command, cwd, outside, { signal: either, timeoutMs }),
      ),
    async steer(text) {
      if (!turn) {
        throw new LoopError("invalid_input", "No turn is under way that could be steered.");
      }
      turn.steering.add(text);
      turn.options.onEvent?.({ type: "message.completed", text: `Noted: ${text}` });
      await save(withPrompt(record, text));
    },
    async close() {
      await work.close();
      await Promise.all([processes.end(), outside.end()]);
    },
  };
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
