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
import { GroupCommit } from "./group-commit.ts";

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

/** So many characters of documents are remembered, so that a commit need not read what it rests on. */
const MOST_CHARACTERS = 8_000_000;
const COMMITS_AT_ONCE = 200;

/** Reads and writes of single loops: each one statement. */
export class Commits {
  readonly #db: Database;
  readonly #s: string;
  readonly #group: GroupCommit;
  /** By the id of the loop, with the characters of its document; those longest out of use first. */
  readonly #heads = new Map<string, { head: Head; characters: number }>();
  #characters = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#s = db.schema;
    this.#group = new GroupCommit(db);
  }

  async row(id: string): Promise<Row | null> {
    const text = `SELECT no, id, revision, state FROM ${this.#s}.loops WHERE id = $1`;
    const [row] = await this.#db.query<Row>(text, [id]);
    return row ?? null;
  }

  /** A document that is known already does not travel again. Throws `loop_not_found`, `store_corrupt`. */
  async read(id: string): Promise<Head> {
    const known = this.#heads.get(id)?.head;
    const text = `SELECT no, id, revision, CASE WHEN no = $2 AND revision = $3 THEN '' ELSE state::text END AS state
      FROM ${this.#s}.loops WHERE id = $1`;
    const [row] = await this.#db.query<Row>(text, [id, known?.no ?? 0, known?.revision ?? 0]);
    if (!row) {
      this.forget(id);
      throw notFound(id);
    }
    if (known?.no === row.no && known.revision === row.revision) return known;
    return this.headOf(row);
  }

  /** The loop as it was when this process saw it last at this revision; read where that is not known. */
  async at(id: string, revision?: number): Promise<Head> {
    const known = this.#heads.get(id)?.head;
    return known && (revision ?? known.revision) === known.revision ? known : this.read(id);
  }

  headOf({ no, id, revision, state }: Row): Head {
    const known = this.#heads.get(id)?.head;
    if (known?.no === no && known.revision === revision) return known;
    const head = { no, revision, state: parseDocument(id, revision, state) };
    return this.#remember(head, state.length);
  }

  forget(id: string): void {
    this.#characters -= this.#heads.get(id)?.characters ?? 0;
    this.#heads.delete(id);
  }

  /** Null where a loop of that name is there, or the tables are newer. */
  async insert(id: string, { state, events, document }: Draft, by: Commit): Promise<Head | null> {
    const text = `WITH loop AS (
        INSERT INTO ${this.#s}.loops (id, revision, state, status, tags, words, updated_at, waiting)
        SELECT $1, 1, $2, $3, $4, $5, $6, $12 WHERE ${this.#db.isOurs}
        ON CONFLICT (id) DO NOTHING RETURNING no
      )
      INSERT INTO ${this.#s}.commits (loop, revision, op_key, op_id, actor, epoch, events)
      SELECT no, 1, $7, $8, $9, $10, $11 FROM loop RETURNING loop AS no`;
    const columns = [...columnsOf(state), ...commitColumns(by)];
    const values = [id, document, ...columns, events, isWaiting(state)];
    const [row] = await this.#db.query<{ no: number }>(text, values);
    return row ? this.#remember({ no: row.no, revision: 1, state }, document.length) : null;
  }

  /**
   * Null where the loop is not at the revision of `head` any more, another epoch has begun, the op id was used before, or the
   * tables are newer. Sent twice it does nothing the second time, for its op id is there.
   */
  async append(head: Head, { state, events, document }: Draft, by: Commit): Promise<Head | null> {
    const { no, revision } = head;
    const columns = [...columnsOf(state), isWaiting(state), ...commitColumns(by), events];
    const entry = { no, revision, columns: [document, ...columns], characters: document.length };
    try {
      if (!(await this.#group.append(entry))) return null;
      return this.#remember({ no, revision: revision + 1, state }, document.length);
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
    const known = this.#heads.get(id)?.head;
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

  #remember(head: Head, characters: number): Head {
    const id = head.state.loop_id;
    this.forget(id);
    this.#heads.set(id, { head, characters });
    this.#characters += characters;
    for (const oldest of this.#heads.keys()) {
      if (this.#characters <= MOST_CHARACTERS || oldest === id) break;
      this.forget(oldest);
    }
    return head;
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
