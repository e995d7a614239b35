import { isLoopError } from "@ccw-loop/core";
import type { Database } from "./database.ts";

/** The next revision of a loop: its row, the revision that it follows, and the columns that are written, as in `GIVEN`. */
export interface Entry {
  no: number;
  revision: number;
  columns: readonly unknown[];
  /** Of its document: what a statement is as large as. */
  characters: number;
}

interface Waiting extends Entry {
  /** Told whether the loop was at that revision, in that epoch, and the tables those of this program. */
  resolve(made: boolean): void;
  reject(error: unknown): void;
}

/** What is given of a commit, in the order of its values, with the types of the columns. */
const GIVEN = {
  ...{ no: "bigint", revision: "bigint", state: "json", status: "text", tags: "text[]" },
  ...{ words: "text", updated_at: "text", waiting: "boolean", op_key: "bytea", op_id: "text" },
  ...{ actor: "text", epoch: "bigint", events: "json" },
};
const NAMES = Object.keys(GIVEN);
const TYPES = Object.values(GIVEN);

/** So many commits share a statement at most, and so many characters of documents, unless one alone has more. */
const MOST_COMMITS = 32;
const MOST_CHARACTERS = 1_000_000;

/**
 * Commits of different loops that are made in the same turn of the event loop share a statement, and so a round trip, a
 * transaction and a sync of the server's disk. Each of them is made or not by itself.
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #statements = new Map<number, string>();
  #waiting: Waiting[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * False where the loop is not at that revision any more, another epoch has begun, or the tables are newer. Throws what the
   * database answers, as for a statement of its own.
   */
  append(entry: Entry): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    if (this.#waiting.push({ ...entry, resolve, reject }) === 1) setImmediate(() => this.#send());
    return promise;
  }

  #send(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (const group of groupsOf(all)) void this.#write(group);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    const values = group.flatMap(({ no, revision, columns }) => [no, revision, ...columns]);
    try {
      const rows = await this.#db.query<{ loop: number }>(this.#statement(group.length), values);
      const made = new Set(rows.map(({ loop }) => loop));
      for (const { no, resolve } of group) resolve(made.has(no));
    } catch (error) {
      // What speaks against one of them is no matter of the others.
      if (group.length > 1 && !isLoopError(error)) {
        for (const one of group) void this.#write([one]);
      } else for (const { reject } of group) reject(error);
    }
  }

  #statement(commits: number): string {
    const known = this.#statements.get(commits);
    if (known !== undefined) return known;
    const s = this.#db.schema;
    const tuples = Array.from({ length: commits }, (_, i) => {
      const places = TYPES.map((type, column) => `$${i * TYPES.length + column + 1}::${type}`);
      return `(${places.join(", ")})`;
    });
    const text = `WITH given (${NAMES.join(", ")}) AS (VALUES ${tuples.join(", ")}), loop AS (
        UPDATE ${s}.loops l SET revision = g.revision + 1, state = g.state, status = g.status, tags = g.tags, words = g.words,
          updated_at = g.updated_at, waiting = g.waiting, changed = pg_current_xact_id()
        FROM given g WHERE l.no = g.no AND l.revision = g.revision AND (g.epoch IS NULL OR l.epoch = g.epoch)
          AND ${this.#db.isOurs}
        RETURNING l.no, l.revision, g.op_key, g.op_id, g.actor, g.epoch, g.events
      )
      INSERT INTO ${s}.commits (loop, revision, op_key, op_id, actor, epoch, events) SELECT * FROM loop RETURNING loop`;
    this.#statements.set(commits, text);
    return text;
  }
}

/** No loop twice in a group: of two commits at one revision, the statement would not say which one it made. */
function groupsOf(all: readonly Waiting[]): Waiting[][] {
  const groups: { commits: Waiting[]; loops: Set<number>; characters: number }[] = [];
  for (const one of all) {
    const fits = groups.find(
      ({ commits, loops, characters }) =>
        commits.length < MOST_COMMITS &&
        characters + one.characters <= MOST_CHARACTERS &&
        !loops.has(one.no),
    );
    const group = fits ?? { commits: [], loops: new Set(), characters: 0 };
    if (!fits) groups.push(group);
    group.commits.push(one);
    group.loops.add(one.no);
    group.characters += one.characters;
  }
  return groups.map(({ commits }) => commits);
}
