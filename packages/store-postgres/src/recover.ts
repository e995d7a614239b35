import { randomUUID } from "node:crypto";
import {
  isLoopError,
  LoopError,
  type LoopState,
  type Recovery,
  type RevisionOptions,
  revisionConflict,
} from "@ccw-loop/core";
import type { Commits, Row } from "./commits.ts";
import type { Database } from "./database.ts";
import { columnsOf, draftOf, isWaiting, notFound } from "./document.ts";

/**
 * Makes a state that cannot be read anew from the history. Where that leads to the same revision, the row is mended; where its
 * end is lost, the loop goes on from before it, by an event that says so. With `dryRun` nothing is changed.
 */
export async function recoverLoop(
  db: Database,
  commits: Commits,
  id: string,
  { dryRun, at, revision }: RevisionOptions & { dryRun: boolean; at: string },
): Promise<Recovery> {
  const row = await commits.row(id);
  if (!row) throw notFound(id);
  const whole = wholeIn(commits, row);
  const found = whole ? { state: whole, revision: row.revision } : await commits.fold(row);
  if (!found) {
    throw new LoopError(
      "store_corrupt",
      `Loop ${id} cannot be rebuilt: neither its state nor its history can be read. Restore it from a backup of the database.`,
    );
  }
  if (revision !== undefined && revision !== found.revision) {
    throw revisionConflict(id, revision, found.revision);
  }
  const plan: Recovery = { source: "journal", state: found.state, unknown: [], notes: [] };
  if (whole) return { ...plan, notes: ["The state can be read; nothing is damaged."] };
  plan.notes.push(
    found.revision === row.revision
      ? `Revision ${found.revision} was rebuilt exactly from the history.`
      : `What came after revision ${found.revision} is lost; it is the newest that can be read.`,
  );
  if (dryRun) return plan;
  const state =
    found.revision === row.revision
      ? await mend(db, row, found.state)
      : await goOn(commits, row, found.state, at);
  commits.forget(id);
  if (!state) throw revisionConflict(id, row.revision, (await commits.row(id))?.revision ?? 0);
  return { ...plan, state };
}

function wholeIn(commits: Commits, row: Row): LoopState | null {
  commits.forget(row.id);
  try {
    return commits.headOf(row).state;
  } catch (error) {
    if (isLoopError(error, "store_corrupt")) return null;
    throw error;
  }
}

async function mend(db: Database, row: Row, state: LoopState): Promise<LoopState | null> {
  const text = `UPDATE ${db.schema}.loops SET state = $3, status = $4, tags = $5, words = $6, updated_at = $7,
      waiting = $8, changed = pg_current_xact_id()
    WHERE no = $1 AND revision = $2 RETURNING no`;
  const values = [
    row.no,
    row.revision,
    JSON.stringify(state),
    ...columnsOf(state),
    isWaiting(state),
  ];
  return (await db.query(text, values)).length > 0 ? state : null;
}

async function goOn(
  commits: Commits,
  row: Row,
  state: LoopState,
  at: string,
): Promise<LoopState | null> {
  const { revision: _, ...rest } = state;
  const event = { type: "loop.recovered" as const, at, state: rest, unknown: [] };
  const draft = draftOf(state, row.revision + 1, [event]);
  const head = { no: row.no, revision: row.revision, state };
  const added = await commits.append(head, draft, { actor: "recover", opId: randomUUID() });
  return added?.state ?? null;
}
