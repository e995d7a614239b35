import { randomUUID } from "node:crypto";
import { isLoopError, type RevisionOptions, requireAtRest, revisionConflict } from "@ccw-loop/core";
import type { Commits } from "./commits.ts";
import type { Database } from "./database.ts";
import { notFound } from "./document.ts";

/** For how long a removal is told to those who look late. */
const TOLD_FOR = "30 days";

/**
 * Removes a loop with all that belongs to it, at the revision that it is decided for. Throws `loop_not_found`,
 * `invalid_transition`, `revision_conflict`, and `store_corrupt` for one that cannot be read and whose `revision` is named.
 */
export async function removeLoop(
  db: Database,
  commits: Commits,
  id: string,
  { revision }: RevisionOptions,
): Promise<void> {
  const token = randomUUID();
  const text = `WITH gone AS (
      DELETE FROM ${db.schema}.loops WHERE no = $1 AND revision = $2 RETURNING no, id
    ), told AS (
      DELETE FROM ${db.schema}.removals WHERE at < clock_timestamp() - interval '${TOLD_FOR}'
    )
    INSERT INTO ${db.schema}.removals (loop, id, token) SELECT no, id, $3 FROM gone RETURNING loop`;
  const mine = `SELECT loop FROM ${db.schema}.removals WHERE token = $1`;
  for (let isFirst = true; ; isFirst = false) {
    const row = await commits.row(id);
    if (!row) {
      // The answer of what removed it may have been lost with its connection.
      if (!isFirst && (await db.query(mine, [token])).length > 0) return;
      throw notFound(id);
    }
    if (revision !== undefined && row.revision !== revision) {
      throw revisionConflict(id, revision, row.revision);
    }
    try {
      requireAtRest(commits.headOf(row).state, "delete");
    } catch (error) {
      if (revision !== undefined || !isLoopError(error, "store_corrupt")) throw error;
    }
    if ((await db.query(text, [row.no, row.revision, token])).length > 0) return;
  }
}
