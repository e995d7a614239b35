import { isLoopError, type ListQuery, type LoopPage } from "@ccw-loop/core";
import type { Commits, Row } from "./commits.ts";
import type { Database } from "./database.ts";
import { storable } from "./document.ts";

/**
 * A page of the loops and how many there are, of one moment and in one statement. Order and filters go by indexes but `text`, and
 * all loops, or those of a status, are counted already.
 */
export async function listLoops(
  db: Database,
  commits: Commits,
  { status, tag, text = "", after, offset = 0, limit = 50 }: ListQuery,
): Promise<LoopPage> {
  const values: unknown[] = [];
  const value = (one: unknown) => `$${values.push(one)}`;
  const filters = ["true"];
  if (status !== undefined) filters.push(`status = ${value(status)}`);
  // As the index of tags says it.
  if (tag !== undefined) filters.push(`tags <> '{}' AND tags @> ARRAY[${value(storable(tag))}]`);
  if (text !== "") filters.push(`strpos(words, ${value(storable(text.toLowerCase()))}) > 0`);
  const places = [...filters];
  if (after) {
    const [at, id] = [value(storable(after.updated_at)), value(storable(after.loop_id))];
    places.push(`updated_at <= ${at} AND (updated_at < ${at} OR id > ${id})`);
  }
  const loops = `${db.schema}.loops`;
  const total =
    tag === undefined && text === ""
      ? `SELECT coalesce(sum(loops), 0)::bigint AS total FROM ${db.schema}.counts WHERE ${filters.join(" AND ")}`
      : `SELECT count(*) AS total FROM ${loops} WHERE ${filters.join(" AND ")}`;
  const rows = await db.query<Partial<Row> & { total: number }>(
    `SELECT all_of_them.total, page.* FROM
      (${total}) all_of_them
      LEFT JOIN (
        SELECT no, id, revision, state, updated_at FROM ${loops} WHERE ${places.join(" AND ")}
        ORDER BY updated_at DESC, id OFFSET ${value(offset)} LIMIT ${value(Number.isFinite(limit) ? limit : null)}
      ) page ON true ORDER BY page.updated_at DESC, page.id`,
    values,
  );
  const page: LoopPage = { loops: [], total: rows[0]?.total ?? 0, damaged: [] };
  for (const row of rows) {
    if (!isRow(row)) continue;
    try {
      const { state, revision } = commits.headOf(row);
      page.loops.push({ state, revision });
    } catch (error) {
      if (!isLoopError(error)) throw error;
      page.damaged.push({ id: row.id, reason: error.message });
    }
  }
  return page;
}

function isRow(row: Partial<Row>): row is Row {
  return typeof row.id === "string";
}
