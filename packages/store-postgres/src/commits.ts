import { createHash } from "node:crypto";
import {
  isLoopError,
  LoopError,
  LoopEvent,
  leaseLost,
  opName,
  type RecordedEvent,
  replay,
  requireSameOp,
  revisionConflict,
  type StoredLoop,
  stateOfCommit,
  tryParseJson,
} from "@ccw-loop/core";
import { z } from "zod";
import { type Database, requireVersion } from "./database.ts";
import {
  columnsOf,
  type Draft,
  damaged,
  type Head,
  isWaiting,
  notFound,
  parseDocument,
  storable,
} from "./document.ts";
import { isTaken } from "./failures.ts";
import { VERSION } from "./migrations.ts";

/** Who commits, and under which name: that a commit with this op id was made is known for as long as the loop is there. */
export interface Commit {
  actor: string;
  opId: string;
  epoch?: number | undefined;
}

/** A row of `loops`, its document not looked at. */
export interface Row {
  no: number;
  id: string;
  revision: number;
  state: string;
}

/** A commit of the history; null where its events cannot be read. */
interface Recorded {
  revision: number;
  actor: string;
  events: LoopEvent[] | null;
}

/** So many loops are remembered, so that a commit need not read what it rests on. */
const REMEMBERED = 256;
const COMMITS_AT_ONCE = 200;

/** Reads and writes of single loops: each one statement. */
export class Commits {
  readonly #db: Database;
  readonly #s: string;
  readonly #heads = new Map<string, Head>();

  constructor(db: Database) {
    this.#db = db;
    this.#s = db.schema;
  }

  /** Null where there is no such loop. */
  async row(id: string): Promise<Row | null> {
    const text = `SELECT no, id, revision, state FROM ${this.#s}.loops WHERE id = $1`;
    const [row] = await this.#db.query<Row>(text, [id]);
    return row ?? null;
  }

  /** A document that is known already does not travel again. Throws `loop_not_found`, `store_corrupt`. */
  async read(id: string): Promise<Head> {
    const known = this.#heads.get(id);
    const text = `SELECT no, id, revision, CASE WHEN no = $2 AND revision = $3 THEN '' ELSE state::text END AS state
      FROM ${this.#s}.loops WHERE id = $1`;
    const [row] = await this.#db.query<Row>(text, [id, known?.no ?? 0, known?.revision ?? 0]);
    if (!row) {
      this.#heads.delete(id);
      throw notFound(id);
    }
    if (known?.no === row.no && known.revision === row.revision) return known;
    return this.headOf(row);
  }

  /** The loop as it was when this process saw it last at this revision; read where that is not known. */
  async at(id: string, revision?: number): Promise<Head> {
    const known = this.#heads.get(id);
    return known && (revision ?? known.revision) === known.revision ? known : this.read(id);
  }

  headOf({ no, id, revision, state }: Row): Head {
    const known = this.#heads.get(id);
    if (known?.no === no && known.revision === revision) return known;
    const head = { no, revision, state: parseDocument(id, revision, state) };
    this.#remember(id, head);
    return head;
  }

  forget(id: string): void {
    this.#heads.delete(id);
  }

  /** Null where a loop of that name is there, or the tables are newer. */
  async insert(id: string, { state, events, document }: Draft, by: Commit): Promise<Head | null> {
    const text = `WITH loop AS (
        INSERT INTO ${this.#s}.loops (id, revision, state, status, tags, words, updated_at, waiting)
        SELECT $1, 1, $2, $3, $4, $5, $6, $12 WHERE ${this.isOurs()}
        ON CONFLICT (id) DO NOTHING RETURNING no
      )
      INSERT INTO ${this.#s}.commits (loop, revision, op_key, op_id, actor, epoch, events)
      SELECT no, 1, $7, $8, $9, $10, $11 FROM loop RETURNING loop AS no`;
    const columns = [...columnsOf(state), ...commitColumns(by)];
    const values = [id, document, ...columns, events, isWaiting(state)];
    const [row] = await this.#db.query<{ no: number }>(text, values);
    return row ? this.#remember(id, { no: row.no, revision: 1, state }) : null;
  }

  /**
   * Null where the loop is not at the revision of `head` any more, another epoch has begun, the op id was used before, or the
   * tables are newer. Sent twice it does nothing the second time, for its op id is there.
   */
  async append(head: Head, { state, events, document }: Draft, by: Commit): Promise<Head | null> {
    const text = `WITH loop AS (
        UPDATE ${this.#s}.loops SET revision = $2::bigint + 1, state = $3, status = $4, tags = $5, words = $6,
          updated_at = $7, waiting = $13, changed = pg_current_xact_id()
        WHERE no = $1 AND revision = $2 AND ($11::bigint IS NULL OR epoch = $11) AND ${this.isOurs()}
        RETURNING no, revision
      )
      INSERT INTO ${this.#s}.commits (loop, revision, op_key, op_id, actor, epoch, events)
      SELECT no, revision, $8, $9, $10, $11, $12 FROM loop RETURNING revision`;
    const { no, revision } = head;
    const columns = [...columnsOf(state), ...commitColumns(by)];
    const values = [no, revision, document, ...columns, events, isWaiting(state)];
    try {
      const [row] = await this.#db.query<{ revision: number }>(text, values);
      return row ? this.#remember(state.loop_id, { no, revision: row.revision, state }) : null;
    } catch (error) {
      if (isTaken(error)) return null;
      if (!isLoopError(error, "store_unavailable")) throw error;
      const message = `${error.message} Whether the commit was made is told by its op id.`;
      const details = { ...error.details, op_id: by.opId };
      throw new LoopError(error.code, message, { cause: error, details });
    }
  }

  /**
   * What the op id made before, or null when nothing speaks against a commit. Throws what does: `loop_not_found`,
   * `op_reused`, `fenced`, `revision_conflict`, `store_unavailable` for newer tables.
   */
  async refusal(
    id: string,
    revision: number | undefined,
    { opId, epoch }: Pick<Commit, "epoch" | "opId">,
  ): Promise<StoredLoop | null> {
    const text = `SELECT v.version, l.no, l.revision, l.epoch, c.op_id, c.revision AS made
      FROM (SELECT max(version) AS version FROM ${this.#s}.versions) v
      LEFT JOIN ${this.#s}.loops l ON l.id = $1
      LEFT JOIN ${this.#s}.commits c ON c.loop = l.no AND c.op_key = $2`;
    const [found] = await this.#db.query<{
      version: number;
      no: number | null;
      revision: number;
      epoch: number;
      op_id: string | null;
      made: number | null;
    }>(text, [id, keyOf(opId)]);
    requireVersion(this.#db.place.name, found?.version ?? 0);
    if (!found || found.no === null) throw notFound(id);
    if (found.made !== null && found.op_id !== null) {
      requireSameOp(found.op_id, storable(opId));
      return this.#stateAt(id, found.no, found.made);
    }
    if (epoch !== undefined && epoch !== found.epoch) throw leaseLost(id, epoch);
    if (revision !== undefined && revision !== found.revision) {
      throw revisionConflict(id, revision, found.revision);
    }
    return null;
  }

  /** The recorded events of the revisions above `after`, up to that of `row`. Throws `store_corrupt`. */
  async *events(row: Omit<Row, "state">, after = 0): AsyncIterable<RecordedEvent> {
    for await (const { revision, actor, events } of this.#history(row, after)) {
      if (!events) throw damaged(row.id, `the events of revision ${revision} cannot be read.`);
      for (const event of events) yield { revision, actor, event };
    }
  }

  async *#history({ no, revision }: Omit<Row, "state">, after: number): AsyncIterable<Recorded> {
    const text = `SELECT revision, actor, events FROM ${this.#s}.commits
      WHERE loop = $1 AND revision > $2 AND revision <= $3 ORDER BY revision LIMIT ${COMMITS_AT_ONCE}`;
    for (let last = after; last < revision; ) {
      type Found = { revision: number; actor: string; events: string };
      const rows = await this.#db.query<Found>(text, [no, last, revision]);
      if (rows.length === 0) return;
      for (const row of rows) {
        const parsed = LoopEvents.safeParse(tryParseJson(row.events));
        yield { ...row, events: parsed.data ?? null };
        last = row.revision;
      }
    }
  }

  async #stateAt(id: string, no: number, revision: number): Promise<StoredLoop> {
    const known = this.#heads.get(id);
    if (known?.no === no && known.revision === revision) return { state: known.state, revision };
    const found = await this.fold({ no, id, revision });
    if (found?.revision !== revision) throw damaged(id, `revision ${revision} is not whole.`);
    return found;
  }

  /** The newest state that the history leads to without a gap; null where it leads to none. */
  async fold(row: Omit<Row, "state">): Promise<StoredLoop | null> {
    let found = null as StoredLoop | null;
    for await (const { revision, events } of this.#history(row, 0)) {
      if (!events?.[0]) continue;
      const isNext = found !== null && revision === found.revision + 1;
      if (!isNext && !carriesState(events[0])) continue;
      const state = replay(events, found?.state);
      found = { state: stateOfCommit(state, revision, found?.state), revision };
    }
    return found;
  }

  #remember(id: string, head: Head): Head {
    this.#heads.delete(id);
    this.#heads.set(id, head);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > REMEMBERED && oldest !== undefined) this.#heads.delete(oldest);
    return head;
  }

  /** No newer program has taken the tables over meanwhile. */
  isOurs(): string {
    return `(SELECT max(version) FROM ${this.#s}.versions) = ${VERSION}`;
  }
}

const LoopEvents = z.array(LoopEvent);

function commitColumns({ opId, actor, epoch }: Commit): unknown[] {
  return [keyOf(opId), storable(opId), storable(actor), epoch ?? null];
}

/** Of any length as short, so that it fits into an index. */
export function keyOf(opId: string): Buffer {
  return createHash("sha256").update(opName(opId)).digest();
}

function carriesState({ type }: LoopEvent): boolean {
  return type === "loop.created" || type === "loop.recovered";
}
