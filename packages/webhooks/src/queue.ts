import { type Clock, isLoopError, type LoopStore } from "@ccw-loop/core";
import { type Delivery, deliver } from "./delivery.ts";
import { messageId, messageOf, type Standing, stateOf } from "./message.ts";
import type { Webhook } from "./settings.ts";

/** Between tries, in milliseconds; the last one again and again. */
const PAUSES_MS = [2000, 10_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000];
/** A message that could not be delivered for so long is given up; no receiver is waited for any longer either. */
const LONGEST_MS = 24 * 60 * 60_000;
/** A receiver that takes longer to answer has not got it. */
export const ANSWER_MS = 10_000;

export interface QueueDeps {
  store: () => Promise<Pick<LoopStore, "read">>;
  clock: Clock;
  /** From 0 up to 1; spreads tries that would else come at once. */
  random: () => number;
  /** The project's name, as messages tell it. */
  project: string;
  /** Tells the operator a sentence. */
  say: (text: string) => void;
  /** A message was delivered, given up, or nobody has to be told any more. */
  settled: (webhook: string, standing: Standing) => void;
}

interface Due {
  standing: Standing;
  tried: boolean;
}

/** What one webhook is still to be told: of each loop only how it stands now. One message at a time. */
export class Queue {
  readonly webhook: Webhook;
  readonly #deps: QueueDeps;
  readonly #pending = new Map<string, Due>();
  readonly #end = new AbortController();
  readonly #cut = new AbortController();
  #failures = 0;
  /** What was told of it last; the same is not told again. */
  #told = "";
  #work: Promise<void> | null = null;

  constructor(webhook: Webhook, deps: QueueDeps) {
    this.webhook = webhook;
    this.#deps = deps;
  }

  get size(): number {
    return this.#pending.size;
  }

  has(loop: string): boolean {
    return this.#pending.has(loop);
  }

  /** In the place of what was to be told of that loop before. */
  add(standing: Standing): void {
    const { loop, revision } = standing;
    if (revision <= (this.#pending.get(loop)?.standing.revision ?? -1)) return;
    this.#pending.set(loop, { standing, tried: false });
    this.#start();
  }

  #start(): void {
    this.#work ??= this.#sendAll().finally(() => {
      this.#work = null;
      // What was added while the last one came to its end.
      if (this.#next()) this.#start();
    });
  }

  /** Each message that was not tried yet is tried once more; resolves when that is done, at the latest when `cut` aborts. */
  async close(cut: AbortSignal): Promise<void> {
    this.#end.abort();
    cut.addEventListener("abort", () => this.#cut.abort(), { once: true });
    await this.#work;
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const due = this.#next();
      if (due === undefined) return;
      due.tried = true;
      const outcome = await this.#send(due.standing);
      if (outcome === "settled") {
        this.#settle(due);
        continue;
      }
      this.#last(due);
      this.#tell(outcome.reason);
      this.#failures += 1;
      if (this.#end.signal.aborted) return;
      await this.#deps.clock.sleep(this.#pauseMs(outcome), this.#end.signal);
    }
  }

  #next() {
    for (const due of this.#pending.values()) {
      if (!this.#end.signal.aborted || (!due.tried && this.#failures === 0)) return due;
    }
    return undefined;
  }

  /** The others come first, so that one message holds up none. */
  #last(due: Due): void {
    const { loop } = due.standing;
    if (this.#pending.get(loop) !== due) return;
    this.#pending.delete(loop);
    this.#pending.set(loop, due);
  }

  #settle(due: Due): void {
    const { loop } = due.standing;
    // Meanwhile the loop may have come to stand in another way.
    if (this.#pending.get(loop) === due) this.#pending.delete(loop);
    this.#deps.settled(this.webhook.name, due.standing);
  }

  /** Whether nothing more is to be done about it, or why it has to be tried again. */
  async #send(standing: Standing): Promise<"settled" | Extract<Delivery, { delivered: false }>> {
    const { store, clock, project } = this.#deps;
    let message: ReturnType<typeof messageOf>;
    try {
      const { state } = await (await store()).read(standing.loop);
      if (stateOf(state) !== standing.state) return "settled";
      message = messageOf(standing, state, project);
    } catch (error) {
      if (isLoopError(error, "loop_not_found")) return "settled";
      const reason = `loop ${standing.loop} cannot be read`;
      return { delivered: false, reason, final: false, retryAfterMs: null };
    }
    const now = clock.now();
    const delivery = await deliver(this.webhook, message, {
      id: messageId(standing),
      now,
      timeoutMs: ANSWER_MS,
      signal: this.#cut.signal,
    });
    if (delivery.delivered) {
      this.#failures = 0;
      this.#told = "";
      return "settled";
    }
    const isOld = now.getTime() - Date.parse(standing.at) > LONGEST_MS;
    if (!delivery.final && !isOld) return delivery;
    this.#tell(`${delivery.reason}. The message about loop ${standing.loop} is given up`);
    return "settled";
  }

  #pauseMs({ retryAfterMs }: { retryAfterMs: number | null }): number {
    const pause = PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length) - 1] ?? 0;
    const spread = pause * (0.75 + this.#deps.random() / 2);
    return Math.min(LONGEST_MS, Math.max(spread, retryAfterMs ?? 0));
  }

  #tell(reason: string): void {
    if (reason === this.#told) return;
    this.#told = reason;
    const { name } = this.webhook;
    this.#deps.say(`Webhook ${name}: ${reason}. Try it with: ccw-loop config test-webhook ${name}`);
  }
}
