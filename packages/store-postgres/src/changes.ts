import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database } from "./database.ts";
import { Client, placeOf, type Settings } from "./options.ts";

const AGAIN_MS = 1000;
/** What changes this soon after a hint was sent is told together. */
const TOGETHER_MS = 20;

/** What one listener still has to be told; the same topic twice is once. */
interface Listener {
  /** Its only one; without it, every loop. */
  topic: string | undefined;
  topics: Set<string>;
  wake(): void;
}

interface Changed {
  /** The oldest transaction that was under way at this look: the next one begins there. */
  oldest: string;
  /** Null where nothing changed. */
  id: string | null;
  no: number;
  /** Null for a loop that was removed. */
  revision: number | null;
}

/**
 * What changed, by topics: the id of a loop, or that of a log (`logTopic`). Looking is the truth: while anybody listens, the
 * loops that transactions wrote since the last look are read every `pollMs`. Notifications only make it quicker.
 */
export class Changes {
  readonly #db: Database;
  readonly #settings: Settings;
  readonly #channel: string;
  readonly #listeners = new Set<Listener>();
  readonly #unsent = new Set<string>();
  readonly #ending = new AbortController();
  #sending: Promise<void> | undefined;
  #working: Promise<unknown> | undefined;

  constructor(db: Database, settings: Settings) {
    this.#db = db;
    this.#settings = settings;
    this.#channel = `ccw_loop.${settings.schema}`;
  }

  /** What happens from this call on, whenever it is read, until `signal` aborts or the store is closed. */
  of(topic: string | undefined, signal: AbortSignal): AsyncIterable<string> {
    const over = AbortSignal.any([signal, this.#db.closed]);
    const listener: Listener = { topic, topics: new Set(), wake: () => undefined };
    if (!over.aborted) {
      this.#listeners.add(listener);
      this.#working ??= Promise.all([this.#look(), this.#hear()]);
      over.addEventListener("abort", () => this.#leave(listener), { once: true });
    }
    return this.#toldTo(listener, over);
  }

  async *#toldTo(listener: Listener, over: AbortSignal): AsyncIterable<string> {
    try {
      while (!over.aborted) {
        const [topic] = listener.topics;
        if (topic !== undefined) {
          listener.topics.delete(topic);
          yield topic;
          continue;
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        listener.wake = resolve;
        await promise;
      }
    } finally {
      this.#leave(listener);
    }
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener);
    listener.wake();
  }

  /** Tells it here at once, and everywhere else soon; whoever is not reached will look. */
  tell(topic: string): void {
    this.#emit(topic);
    this.#unsent.add(topic);
    this.#sending ??= this.#send();
  }

  /** Not as a part of the commits: those that notify wait for one another, in all of a database. */
  async #send(): Promise<void> {
    // A hint need not be on the disk before the next one is sent.
    const text = `WITH hint AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
      SELECT pg_notify($1, topic) FROM hint, unnest($2::text[]) topic`;
    while (this.#unsent.size > 0) {
      const topics = [...this.#unsent];
      this.#unsent.clear();
      await this.#db.once(text, [this.#channel, topics]).catch(() => undefined);
      const { signal } = this.#ending;
      await sleep(TOGETHER_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#sending = undefined;
  }

  /** Sends what was told, without waiting for more. */
  async sent(): Promise<void> {
    this.#ending.abort();
    await this.#sending;
  }

  #emit(topic: string): void {
    for (const listener of this.#listeners) {
      if (listener.topic === undefined ? isLog(topic) : listener.topic !== topic) continue;
      listener.topics.add(topic);
      listener.wake();
    }
  }

  async #look(): Promise<void> {
    const { schema, closed } = this.#db;
    const text = `SELECT now.oldest, changed.* FROM
        (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest) now LEFT JOIN (
          SELECT id, no, revision FROM ${schema}.loops WHERE changed >= $1::xid8
          UNION ALL SELECT id, loop, NULL FROM ${schema}.removals WHERE changed >= $1::xid8
        ) changed ON true`;
    let since: string | undefined;
    let seen = new Set<string>();
    while (!closed.aborted) {
      try {
        since ??= await this.#db.met();
        const rows = this.#listeners.size > 0 ? await this.#db.query<Changed>(text, [since]) : [];
        const found = new Set<string>();
        for (const { id, no, revision } of rows) {
          if (id === null) continue;
          const key = `${id} ${no} ${revision}`;
          found.add(key);
          if (!seen.has(key)) this.#emit(id);
        }
        // Whoever follows a log looks for itself.
        for (const { topic } of this.#listeners) if (topic && isLog(topic)) this.#emit(topic);
        const oldest = rows[0]?.oldest ?? since;
        // A server that is behind itself was put back to an older state: all of it may have changed.
        const isBehind = BigInt(oldest) < BigInt(since);
        if (rows.length > 0) seen = isBehind ? new Set() : found;
        since = isBehind ? "0" : oldest;
      } catch {
        // Who reads or writes is told why. The next look finds all that was missed.
      }
      await sleep(this.#settings.pollMs, undefined, { signal: closed }).catch(() => undefined);
    }
  }

  async #hear(): Promise<void> {
    const { listen, url } = this.#settings;
    if (listen === false) return;
    const { config } = placeOf(this.#settings, listen ?? url);
    const { closed } = this.#db;
    while (!closed.aborted) {
      const client = new Client(config);
      const over = Promise.withResolvers<void>();
      const end = () => over.resolve();
      client.on("error", end).on("end", end);
      client.on("notification", ({ payload = "" }) => this.#emit(payload));
      closed.addEventListener("abort", end, { once: true });
      const name = pg.escapeIdentifier(this.#channel);
      // Where it cannot listen, looking goes on.
      client
        .connect()
        .then(() => client.query(`LISTEN ${name}`))
        .catch(end);
      await over.promise;
      closed.removeEventListener("abort", end);
      client.end().catch(() => undefined);
      await sleep(AGAIN_MS, undefined, { signal: closed }).catch(() => undefined);
    }
  }

  /** Resolves when nothing of it runs any more, after the database was closed. */
  async idle(): Promise<void> {
    await this.#working;
  }
}

const LOG = "log:";

/** No id of a loop has a colon. */
export function logTopic(id: string): string {
  return LOG + id;
}

function isLog(topic: string): boolean {
  return topic.startsWith(LOG);
}
