import { randomUUID } from "node:crypto";
import { type LoopRecords, parseLoopId } from "@ccw-loop/core";
import { keyOf } from "./commits.ts";
import type { Database } from "./database.ts";
import { columnsOf, type Head, isWaiting, restored } from "./document.ts";

/** So many records of a log make a batch. */
const BATCH = 500;

/**
 * Makes a loop as it was elsewhere, in one statement. Null where one of that name is there, or the tables are newer. Sent
 * twice it does nothing the second time, and finds what it made by a token. Throws `invalid_input` for what breaks the schema.
 */
export async function restoreLoop(db: Database, loop: LoopRecords): Promise<Head | null> {
  const id = parseLoopId(loop.state.loop_id);
  const { state, revision, document, commits: history } = restored(loop);
  const batches = batchesOf(loop.log);
  const token = randomUUID();
  const s = db.schema;
  const text = `WITH loop AS (
      INSERT INTO ${s}.loops (id, revision, state, status, tags, words, updated_at, claim, waiting)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $21 WHERE ${db.isOurs}
      ON CONFLICT (id) DO NOTHING RETURNING no
    ), history AS (
      INSERT INTO ${s}.commits (loop, revision, op_key, op_id, actor, at, events)
      SELECT no, c.* FROM loop, unnest($9::bigint[], $10::bytea[], $11::text[], $12::text[], $13::timestamptz[], $14::json[]) c
    ), log AS (
      INSERT INTO ${s}.logs (loop, last, bytes) SELECT no, $15::bigint, $16::bigint FROM loop WHERE $15 > 0
      RETURNING loop
    ), batches AS (
      INSERT INTO ${s}.log_batches (loop, last, ends, token, records)
      SELECT loop, b.* FROM log, unnest($17::bigint[], $18::bigint[], $19::uuid[], $20::json[]) b
    )
    SELECT no FROM loop`;
  const opIds = history.map((one) => `${token}-${one.revision}`);
  const values = [
    ...[id, revision, document, ...columnsOf(state), token],
    ...[history.map((one) => one.revision), opIds.map(keyOf), opIds],
    ...[history.map((one) => one.actor), history.map((one) => one.at)],
    history.map((one) => JSON.stringify(one.events)),
    ...[loop.log.length, batches.at(-1)?.ends ?? 0],
    ...[batches.map((one) => one.last), batches.map((one) => one.ends)],
    ...[batches.map(() => randomUUID()), batches.map((one) => one.records), isWaiting(state)],
  ];
  // Nobody has claimed it yet: that it carries the token tells that the statement was sent again, and its answer lost.
  const [row] = await db.query<{ no: number }>(text, values);
  const look = `SELECT no FROM ${s}.loops WHERE id = $1 AND claim = $2`;
  const [made] = row ? [row] : await db.query<{ no: number }>(look, [id, token]);
  return made ? { no: made.no, revision, state } : null;
}

function batchesOf(log: readonly unknown[]) {
  const batches: { last: number; ends: number; records: string }[] = [];
  for (let from = 0, ends = 0; from < log.length; from += BATCH) {
    const records = JSON.stringify(log.slice(from, from + BATCH));
    ends += Buffer.byteLength(records);
    batches.push({ last: Math.min(from + BATCH, log.length), ends, records });
  }
  return batches;
}
