import { randomUUID } from "node:crypto";
import {
  type Lease,
  type LeaseView,
  LoopError,
  leaseLost,
  requireLeaseMs,
  type StoreFigures,
} from "@ccw-loop/core";
import type { Database } from "./database.ts";
import { notFound, storable } from "./document.ts";

interface Holder {
  owner: string | null;
  epoch: number;
  /** Milliseconds until it runs out, by the clock of the database; below 0 afterwards. */
  left: number;
  renewed_at: Date;
}

/**
 * Who may drive which loop. One row per loop says so; the clock of the database alone decides when a lease is over, and the
 * epoch, of which no two claims in a place ever get the same, whose commits count.
 */
export class Leases {
  readonly #db: Database;
  readonly #loops: string;

  constructor(db: Database) {
    this.#db = db;
    this.#loops = `${db.schema}.loops`;
  }

  /** A claim whose answer was lost is found again by its token, and stays the same one. */
  async claim(id: string, owner: string, ttlMs: number): Promise<Lease> {
    requireLeaseMs(ttlMs);
    const token = randomUUID();
    const text = `UPDATE ${this.#loops} SET epoch = CASE WHEN claim = $4 THEN epoch ELSE nextval('${this.#db.schema}.epochs') END,
        taken = CASE WHEN owner IS NULL OR claim = $4 THEN taken ELSE nextval('${this.#db.schema}.takeovers') END, owner = $2, claim = $4,
        lease_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000), renewed_at = clock_timestamp()
      WHERE id = $1 AND (owner IS NULL OR lease_until <= clock_timestamp() OR claim = $4) RETURNING epoch`;
    for (;;) {
      const values = [id, storable(owner), ttlMs, token];
      const [row] = await this.#db.query<{ epoch: number }>(text, values);
      if (row) return { id, owner, epoch: row.epoch, ttlMs };
      const held = await this.#holder(id);
      if (held.owner !== null && held.left > 0) throw busy(id, held.owner, held.left);
    }
  }

  async renew({ id, owner, epoch, ttlMs }: Lease): Promise<void> {
    requireLeaseMs(ttlMs);
    const text = `UPDATE ${this.#loops} SET lease_until = clock_timestamp() + make_interval(secs => $4::float8 / 1000),
        renewed_at = clock_timestamp()
      WHERE id = $1 AND epoch = $2 AND owner = $3 RETURNING epoch`;
    const rows = await this.#db.query(text, [id, epoch, storable(owner), ttlMs]);
    if (rows.length > 0) return;
    await this.#holder(id);
    throw leaseLost(id, epoch);
  }

  async release({ id, owner, epoch }: Lease): Promise<void> {
    const text = `UPDATE ${this.#loops} SET owner = NULL, claim = NULL, lease_until = NULL
      WHERE id = $1 AND epoch = $2 AND owner = $3`;
    await this.#db.query(text, [id, epoch, storable(owner)]);
  }

  /** The newest lease; null when it was given back, or there never was one. Throws `loop_not_found`. */
  async newest(id: string): Promise<LeaseView | null> {
    const { owner, epoch, left, renewed_at } = await this.#holder(id);
    if (owner === null) return null;
    const left_ms = Math.max(0, Math.ceil(left));
    return { owner, epoch, living: left_ms > 0, left_ms, renewed_at: renewed_at.toISOString() };
  }

  async figures(): Promise<StoreFigures> {
    const text = `SELECT f.*, (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${this.#db.schema}.takeovers) AS takeovers
      FROM (SELECT count(*) FILTER (WHERE living) AS driven, count(*) FILTER (WHERE NOT living AND waiting) AS waiting,
          count(*) FILTER (WHERE NOT living AND NOT waiting) AS queued,
          (1000 * max(extract(epoch FROM clock_timestamp() - renewed_at)) FILTER (WHERE living))::float8 AS lease_age_ms
        FROM (SELECT waiting, renewed_at, coalesce(owner IS NOT NULL AND lease_until > clock_timestamp(), false) AS living
          FROM ${this.#loops} WHERE status = 'running') l) f`;
    const [row] = await this.#db.query<StoreFigures>(text, []);
    return row ?? { driven: 0, waiting: 0, queued: 0, lease_age_ms: null, takeovers: 0 };
  }

  async #holder(id: string): Promise<Holder> {
    const text = `SELECT owner, epoch, renewed_at,
        (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::float8 AS left
      FROM ${this.#loops} WHERE id = $1`;
    const [row] = await this.#db.query<Holder>(text, [id]);
    if (!row) throw notFound(id);
    return row;
  }
}

function busy(id: string, owner: string, left: number): LoopError {
  const seconds = Math.ceil(left / 1000);
  return new LoopError(
    "loop_busy",
    `Loop ${id} is being driven by ${owner}. Stop it there with: ccw-loop pause ${id}. If it no longer answers, take the loop over in ${seconds} s with: ccw-loop resume ${id}`,
    { details: { owner, left_ms: Math.ceil(left) } },
  );
}
