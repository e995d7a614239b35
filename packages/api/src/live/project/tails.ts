import type { Activity } from "@ccw-loop/core";
import type { Hub } from "../stream/hub.ts";
import type { Feed, LoopChange } from "./feed.ts";

/** The last lines of a log come a little after the fact that ended the work. */
const LINGER_MS = 1000;

/** Follows what the agents of running loops do, while somebody wants it. */
export class ActivityFollowers {
  readonly #hub: Hub;
  readonly #feed: Feed;
  readonly #heard: (id: string, activity: Activity) => void;
  readonly #open = new Map<string, AbortController>();
  #wanted = 0;

  constructor(hub: Hub, feed: Feed, heard: (id: string, activity: Activity) => void) {
    this.#hub = hub;
    this.#feed = feed;
    this.#heard = heard;
  }

  /** Returns what ends the wish. */
  want(): () => void {
    this.#wanted += 1;
    const now = this.#hub.clock.now().toISOString();
    if (this.#wanted === 1) for (const id of this.#feed.running()) this.#begin(id, now);
    return () => {
      this.#wanted -= 1;
      if (this.#wanted === 0) this.close();
    };
  }

  changed({ id, state, facts }: LoopChange): void {
    if (this.#wanted === 0) return;
    const since = facts[0]?.event.at ?? this.#hub.clock.now().toISOString();
    if (state?.status === "running") this.#begin(id, since);
    else void this.#end(id);
  }

  close(): void {
    for (const stop of this.#open.values()) stop.abort();
    this.#open.clear();
  }

  #begin(id: string, since: string): void {
    if (this.#open.has(id)) return;
    const stop = new AbortController();
    this.#open.set(id, stop);
    void this.#follow(id, since, stop.signal)
      .catch(() => undefined)
      .then(() => this.#forget(id, stop));
  }

  async #follow(id: string, since: string, signal: AbortSignal): Promise<void> {
    const { revision = 0 } = await this.#hub.service.get(id);
    for await (const event of this.#hub.service.watch(id, { after: revision, since, signal })) {
      if (event.kind === "activity" && !signal.aborted) this.#heard(id, event.activity);
    }
  }

  async #end(id: string): Promise<void> {
    const stop = this.#open.get(id);
    if (!stop) return;
    await this.#hub.clock.sleep(LINGER_MS, stop.signal);
    if (this.#feed.running().includes(id)) return;
    stop.abort();
    this.#forget(id, stop);
  }

  #forget(id: string, stop: AbortController): void {
    if (this.#open.get(id) === stop) this.#open.delete(id);
  }
}
