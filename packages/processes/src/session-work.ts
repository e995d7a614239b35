import { LoopError } from "@ccw-loop/core";

/** The one thing that an agent session does at a time: a turn or a command. */
export class SessionWork {
  readonly #closing = new AbortController();
  #work: Promise<unknown> | undefined;

  /** Refuses a second piece of work, and any after `close`, which aborts the signal of the work, too. */
  async run<T>(asked: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const closing = this.#closing.signal;
    if (closing.aborted) throw refused("The agent session is closed. Open it again.");
    if (this.#work) {
      throw refused("A turn or a command is under way in this agent session. Wait until it ends.");
    }
    asked.throwIfAborted();
    const begun = work(AbortSignal.any([asked, closing]));
    this.#work = begun;
    try {
      return await begun;
    } finally {
      this.#work = undefined;
    }
  }

  /** Resolves when what was under way is over, however it ended. */
  async close(): Promise<void> {
    const message = "The agent session was closed while a turn or a command was under way.";
    this.#closing.abort(new LoopError("agent_died", message));
    await this.#work?.catch(() => undefined);
  }
}

function refused(message: string): LoopError {
  return new LoopError("invalid_input", message);
}

/** How often to look at limits of these milliseconds: often enough to keep each within a fifth. */
export function checkInterval(...limitsMs: readonly number[]): number {
  return Math.min(1000, Math.max(10, Math.min(...limitsMs) / 5));
}
