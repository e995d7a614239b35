import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LoopError } from "@ccw-loop/core";
import pg from "pg";
import { failureOf, isMisprepared, lacksTables } from "./failures.ts";
import { VERSION } from "./migrations.ts";
import { Client, type Place, placeOf, type Settings } from "./options.ts";

const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 1000;
const OLDEST_SERVER = 140_000;

/**
 * Statements to one place of loops. Each is a transaction of its own and is sent once more when its connection was lost,
 * so each has to do the same when it is done twice. Nothing is kept in a connection but statements that were prepared, and those
 * only until a pooler in transaction mode is found to be in between.
 */
export class Database {
  readonly place: Place;
  /** The schema, as it stands in statements. */
  readonly schema: string;
  /** A condition in a statement that writes: no newer program has taken the tables over meanwhile. */
  readonly isOurs: string;
  readonly #settings: Settings;
  readonly #pool: pg.Pool;
  readonly #closed = new AbortController();
  #met: Promise<string> | undefined;
  #prepares = true;
  /** It has answered: from then on a failure may pass. */
  #hasAnswered = false;

  constructor(settings: Settings) {
    this.place = placeOf(settings, settings.url);
    this.schema = `"${settings.schema}"`;
    this.isOurs = `(SELECT max(version) FROM ${this.schema}.versions) = ${VERSION}`;
    this.#settings = settings;
    this.#pool = new pg.Pool({ ...this.place.config, Client, max: settings.connections });
    // Of a connection that nobody uses just now: the next statement gets another one.
    this.#pool.on("error", () => undefined);
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /**
   * The rows that a statement answers with, after the tables were found to be those of this program. Throws
   * `store_unavailable`, and what is no failure of the database as it is.
   */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    await this.met();
    return this.#patiently<Row>(text, values);
  }

  /**
   * The oldest transaction that was under way when the store was first asked for something. Throws `store_unavailable`
   * where the tables are not those of this program.
   */
  met(): Promise<string> {
    this.#met ??= this.#meet().catch((error: unknown) => {
      this.#met = undefined;
      throw error;
    });
    return this.#met;
  }

  async #meet(): Promise<string> {
    const text = `SELECT (SELECT max(version) FROM ${this.schema}.versions) AS version,
      current_setting('server_version_num')::int AS server,
      pg_snapshot_xmin(pg_current_snapshot())::text AS oldest`;
    const rows = await this.#patiently<{ version: number | null; server: number; oldest: string }>(
      text,
      [],
    ).catch((error: unknown) => {
      if (lacksTables(error)) return [];
      throw error;
    });
    const [{ version, server, oldest } = { version: 0, server: OLDEST_SERVER, oldest: "0" }] = rows;
    requireServer(this.place.name, server);
    requireVersion(this.place.name, version ?? 0);
    return oldest;
  }

  async #patiently<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const patience = this.#hasAnswered ? this.#settings.patienceMs : 0;
    const until = performance.now() + patience;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        const rows = await this.once<Row>(text, values);
        this.#hasAnswered = true;
        return rows;
      } catch (error) {
        const failure = failureOf(error, this.place.name);
        if (!failure) throw error;
        const isOver = performance.now() + wait > until || this.closed.aborted;
        if (!failure.passes || isOver) throw failure.error;
        await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal: this.closed }).catch(
          () => undefined,
        );
      }
    }
  }

  /** The same, tried once, and with whatever error there is. */
  async once<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const client = await this.#pool.connect();
    let isLost = false;
    const lose = () => {
      isLost = true;
    };
    client.on("error", lose);
    try {
      const statement = { text, values: [...values] };
      const isPrepared = this.#prepares;
      const query = client.query(isPrepared ? { ...statement, name: nameOf(text) } : statement);
      const { rows } = await query.catch((error: unknown) => {
        if (!isPrepared || !isMisprepared(error)) throw error;
        this.#prepares = false;
        return client.query(statement);
      });
      return rows;
    } catch (error) {
      // A standby says that it is one for as long as the connection lives.
      if (failureOf(error, this.place.name)?.passes) lose();
      throw error;
    } finally {
      client.off("error", lose);
      client.release(isLost);
    }
  }

  async close(): Promise<void> {
    if (this.closed.aborted) return;
    this.#closed.abort();
    await this.#pool.end();
  }
}

/** Of the same text everywhere: whatever a connection has under this name does the same. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `ccw_${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
  names.set(text, name);
  return name;
}

/** By text. There are as many as there are statements in these files, some for each filter of a list. */
const names = new Map<string, string>();

function requireServer(name: string, version: number): void {
  if (version >= OLDEST_SERVER) return;
  throw new LoopError(
    "store_unavailable",
    `The database ${name} is PostgreSQL ${Math.floor(version / 10_000)}. Use 14 or newer.`,
    { details: { server: version } },
  );
}

/** Throws `store_unavailable` for tables that are older or newer than this program. */
export function requireVersion(name: string, version: number): void {
  if (version === VERSION) return;
  const message =
    version > VERSION
      ? `The loops in ${name} were taken over by a newer version of ccw-loop (tables ${version}; this one knows ${VERSION}), and nothing of them was changed. Go on with that version.`
      : `The tables for loops in ${name} are ${version === 0 ? "not there yet" : `of version ${version}`}; this program needs version ${VERSION}. Make them with: ccw-loop store migrate`;
  throw new LoopError("store_unavailable", message, { details: { version, needs: VERSION } });
}
