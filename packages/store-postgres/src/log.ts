import { randomUUID } from "node:crypto";
import { type LogRecord, type ReadLogOptions, tryParseJson } from "@ccw-loop/core";
import { type Changes, logTopic } from "./changes.ts";
import type { Database } from "./database.ts";
import { notFound } from "./document.ts";
import { isOrphaned, isTaken } from "./failures.ts";

const FLUSH_MS = 50;
/** A writer that is this far ahead of the database waits for it. */
const BACKLOG_CHARACTERS = 4 * 1024 * 1024;
const BATCHES_AT_ONCE = 32;
/** So often in the life of a full log its oldest batches are removed. */
const PARTS = 16;

/** Records that were accepted and are not written yet. */
interface Backlog {
  id: string;
  records: string[];
  characters: number;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void>;
}

/**
 * agent.log: batches of records in the order of their numbers, which one row per loop counts, so that no record appears behind
 * one with a higher number. The oldest batches are removed when a log has grown.
 */
export class Logs {
  readonly #db: Database;
  readonly #changes: Changes;
  readonly #keep: number;
  readonly #warn: (id: string, message: string) => void;
  /** By the row of the loop. */
  readonly #backlogs = new Map<number, Backlog>();

  constructor(
    db: Database,
    changes: Changes,
    keepBytes: number,
    warn: (id: string, message: string) => void,
  ) {
    this.#db = db;
    this.#changes = changes;
    this.#keep = keepBytes;
    this.#warn = warn;
  }

  /** Accepts records of the loop in row `no`; they are written soon, together. */
  async append(id: string, no: number, records: readonly unknown[]): Promise<void> {
    const log = this.#backlogs.get(no) ?? {
      ...{ id, records: [], characters: 0, timer: undefined, writing: Promise.resolve() },
    };
    this.#backlogs.set(no, log);
    for (const record of records) {
      const text = JSON.stringify(record) ?? "null";
      log.records.push(text);
      log.characters += text.length;
    }
    if (log.characters > BACKLOG_CHARACTERS) await this.#flush(no, log);
    else if (log.records.length > 0)
      log.timer ??= setTimeout(() => void this.#flush(no, log), FLUSH_MS);
  }

  /** Writes what was accepted for a loop, for every one without an id. What cannot be written is lost, and told. */
  async flush(id?: string): Promise<void> {
    const chosen = [...this.#backlogs].filter(([, log]) => id === undefined || log.id === id);
    await Promise.all(chosen.map(([no, log]) => this.#flush(no, log)));
  }

  async #flush(no: number, log: Backlog): Promise<void> {
    clearTimeout(log.timer);
    log.timer = undefined;
    log.writing = log.writing.then(() => this.#write(no, log));
    await log.writing;
    if (log.records.length === 0) this.#backlogs.delete(no);
  }

  async #write(no: number, log: Backlog): Promise<void> {
    const { id, records } = log;
    if (records.length === 0) return;
    log.records = [];
    log.characters = 0;
    const text = `[${records.join(",")}]`;
    const bytes = Buffer.byteLength(text);
    try {
      const end = await this.#insert(no, records.length, bytes, text);
      if (end !== null && isNewPart(end - bytes, end, this.#keep / PARTS))
        await this.#trim(no, end);
      this.#changes.tell(logTopic(id));
    } catch (error) {
      this.#warn(id, `${records.length} records of agent.log are lost. ${String(error)}`);
    }
  }

  /** Where the log ends now, in bytes; null where the loop is gone, or the batch was there already. */
  async #insert(no: number, count: number, bytes: number, records: string): Promise<number | null> {
    const s = this.#db.schema;
    const text = `WITH log AS (
        INSERT INTO ${s}.logs AS l (loop, last, bytes) SELECT no, $2, $3 FROM ${s}.loops WHERE no = $1
        ON CONFLICT (loop) DO UPDATE SET last = l.last + excluded.last, bytes = l.bytes + excluded.bytes
        RETURNING loop, last, bytes
      )
      INSERT INTO ${s}.log_batches (loop, last, ends, token, records)
      SELECT loop, last, bytes, $4, $5 FROM log RETURNING ends`;
    try {
      const values = [no, count, bytes, randomUUID(), records];
      const [row] = await this.#db.query<{ ends: number }>(text, values);
      return row?.ends ?? null;
    } catch (error) {
      // It was written, and the answer was lost with its connection; or there is no loop to write of any more.
      if (isTaken(error) || isOrphaned(error)) return null;
      throw error;
    }
  }

  async #trim(no: number, end: number): Promise<void> {
    const text = `DELETE FROM ${this.#db.schema}.log_batches WHERE loop = $1 AND ends <= $2`;
    await this.#db.query(text, [no, end - this.#keep]);
  }

  /** Throws `loop_not_found`. */
  async *read(id: string, { after, follow }: ReadLogOptions = {}): AsyncIterable<LogRecord> {
    await this.flush(id);
    // From before the first look on, so that nothing comes between.
    const hints = follow && this.#changes.of(logTopic(id), follow)[Symbol.asyncIterator]();
    try {
      const { no, last } = await this.#end(id);
      let seen = Math.min(after ?? 0, last);
      let asked = after !== undefined;
      for (;;) {
        for await (const { seq, record } of this.#behind(no, seen)) {
          const isGap = asked && seq > seen + 1;
          yield { seq, record, ...(isGap ? { gap: true as const } : {}) };
          seen = seq;
          asked = true;
          if (follow?.aborted) return;
        }
        if (!hints || (await hints.next()).done) return;
      }
    } finally {
      await hints?.return?.();
    }
  }

  async *#behind(no: number, after: number): AsyncIterable<LogRecord> {
    const text = `SELECT last, records FROM ${this.#db.schema}.log_batches
      WHERE loop = $1 AND last > $2 ORDER BY last LIMIT ${BATCHES_AT_ONCE}`;
    for (let seen = after; ; ) {
      const batches = await this.#db.query<{ last: number; records: string }>(text, [no, seen]);
      for (const { last, records } of batches) {
        const parsed = tryParseJson(records);
        const list: unknown[] = Array.isArray(parsed) ? parsed : [];
        for (const [i, record] of list.entries()) {
          const seq = last - list.length + 1 + i;
          if (seq > after) yield { seq, record };
        }
        seen = last;
      }
      if (batches.length < BATCHES_AT_ONCE) return;
    }
  }

  async #end(id: string): Promise<{ no: number; last: number }> {
    const { schema: s } = this.#db;
    const text = `SELECT no, coalesce(g.last, 0) AS last FROM ${s}.loops
      LEFT JOIN ${s}.logs g ON g.loop = no WHERE id = $1`;
    const [row] = await this.#db.query<{ no: number; last: number }>(text, [id]);
    if (!row) throw notFound(id);
    return row;
  }
}

function isNewPart(from: number, to: number, size: number): boolean {
  return Math.floor(from / size) !== Math.floor(to / size);
}
