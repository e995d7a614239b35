import { LoopError, toLoopError } from "@ccw-loop/core";
import { followLoops, type HomeFeed, pause } from "@ccw-loop/view";
import type { Message } from "../model/model.ts";

export interface ConnectionOptions extends HomeFeed {
  send: (message: Message) => void;
  /** The loops are elsewhere: streams come back by themselves there and do not tell, so it is asked now and then. */
  remote: boolean;
  now: () => number;
  /** How often it is asked, and how long an answer may take; in ms. */
  every?: number;
  patience?: number;
}

const LOOK_MS = 3000;
const FIRST_TRY_MS = 500;
const LAST_TRY_MS = 5000;
const PATIENCE_MS = 5000;

/** Keeps the list up to date over any number of breaks, and says whether it is. */
export class Connection {
  readonly #linking: ConnectionOptions;
  #lost = false;
  /** Ends the reading under way. */
  #over = new AbortController();

  constructor(linking: ConnectionOptions) {
    this.#linking = linking;
  }

  /** Until the signal aborts. */
  async keep(): Promise<void> {
    const { signal, remote } = this.#linking;
    while (!signal.aborted) {
      this.#over = new AbortController();
      const feed = { ...this.#linking, signal: AbortSignal.any([signal, this.#over.signal]) };
      try {
        await Promise.race([followLoops(feed), ...(remote ? [pollUntilLost(feed)] : [])]);
      } catch (error) {
        this.lose(error);
      }
      this.#over.abort();
      await this.#back();
    }
  }

  /** Something could not be read because nobody answers. */
  lose(error: unknown): void {
    const { signal, now, send } = this.#linking;
    if (this.#lost || signal.aborted) return;
    this.#lost = true;
    const reason = toLoopError(error).message;
    send({ type: "linked", link: { state: "lost", since: now(), reason } });
    this.#over.abort();
  }

  /** Resolves when somebody answers. */
  async #back(): Promise<void> {
    const { signal, send } = this.#linking;
    for (let wait = FIRST_TRY_MS; !signal.aborted; wait = Math.min(wait * 2, LAST_TRY_MS)) {
      await pause(wait, signal);
      try {
        if (!signal.aborted) await answerOf(this.#linking);
        break;
      } catch (error) {
        this.lose(error);
      }
    }
    if (!this.#lost || signal.aborted) return;
    this.#lost = false;
    send({ type: "linked", link: { state: "live" } });
  }
}

/** Until the signal aborts. Throws as soon as nobody answers. */
async function pollUntilLost(linking: ConnectionOptions): Promise<void> {
  const { signal, every = LOOK_MS } = linking;
  while (!signal.aborted) {
    await pause(every, signal);
    if (!signal.aborted) await answerOf(linking);
  }
}

/** Throws when nobody answers, at once or in time: a server that stands still keeps its connections open. */
async function answerOf({
  service,
  signal,
  patience = PATIENCE_MS,
}: ConnectionOptions): Promise<void> {
  const over = new AbortController();
  const late = pause(patience, AbortSignal.any([signal, over.signal])).then(() => {
    if (signal.aborted || over.signal.aborted) return;
    throw new LoopError("store_unavailable", `Nobody answered for ${patience / 1000} seconds.`);
  });
  try {
    await Promise.race([service.list({ limit: 1 }), late]);
  } finally {
    over.abort();
  }
}
