import { randomUUID } from "node:crypto";
import {
  errorText,
  invalidInput,
  isMissing,
  LAST_REVISION,
  LoopError,
  LoopEvent,
  leaseLost,
  replay,
} from "@ccw-loop/core";
import { ZodError } from "zod";
import type { OpenLoop, StoreContext } from "../context.ts";
import { damaged, notFound } from "../fs/errors.ts";
import { journalText, readJournal } from "../journal/journal.ts";
import { encodeCommit, type StoredCommit } from "./commit-form.ts";
import { isSafe, makeSafe, markProgressFiles, syncHistory } from "./head.ts";
import { remember } from "./ops.ts";
import { epochFolder } from "./revision-names.ts";

export interface CommitOptions {
  actor: string;
  opId?: string | undefined;
  epoch?: number | undefined;
  /** For a history that goes on after a gap: the number of the next revision. */
  revision?: number;
}

/**
 * Adds the events as the revision after the remembered head, durably. Null when another writer was first.
 * Throws `fenced` when the epoch is over, `invalid_input` for events that break the schema or make the loop too
 * large, `store_corrupt` when there are no numbers left for revisions.
 */
export async function commit(
  context: StoreContext,
  loop: OpenLoop,
  events: readonly LoopEvent[],
  { actor, opId = randomUUID(), epoch, revision }: CommitOptions,
): Promise<StoredCommit | null> {
  const { history } = context;
  const { paths } = loop;
  const head = revision === undefined ? loop.head?.stored : undefined;
  const number = revision ?? (head?.commit.revision ?? 0) + 1;
  if (number > LAST_REVISION) throw damaged(paths.id, "the numbers of its revisions are used up");
  const facts = events.map((event) => valid(() => LoopEvent.parse(event), event.type));
  const draft = {
    revision: number,
    parent: head?.digest ?? null,
    op_id: opId,
    epoch: epoch ?? null,
    at: context.now().toISOString(),
    actor,
    events: facts,
    state: replay(facts, head?.commit.state),
  };
  const encoded = valid(
    () => encodeCommit(draft, head, context.wholeBelow),
    facts.at(-1)?.type ?? "",
  );
  const from = epoch === undefined ? paths.history : epochFolder(paths.history, epoch);
  const add = () => history.add(paths, draft.revision, encoded.text, from);
  const adding = !head || isSafe(loop, head) ? add() : makeSafe(context, loop, head).then(add);
  // While the disk works: what the commit will look like when it is read back.
  const stored = encoded.stored();
  const lines = journalText(stored.commit);
  const added = await adding.catch((error: unknown) => {
    throw isMissing(error) ? gone(paths.id, epoch, error) : error;
  });
  if (!added || (await lostItsNumber(context, loop, stored))) return null;
  const file = history.identity(paths, draft.revision);
  // Let go of already, by so many commits of others; the journal has it.
  if (file === null) return stored;
  loop.head = { stored, file };
  loop.lines.set(draft.revision, lines);
  if (loop.opsThrough === draft.revision - 1) remember(loop, stored.commit);
  markProgressFiles(loop, facts);
  await syncHistory(context, loop, draft.revision);
  loop.durable = draft.revision;
  return stored;
}

/** The folder that a commit was being prepared in went away: with the epoch, or with the loop. */
function gone(id: string, epoch: number | undefined, cause: unknown): LoopError {
  return epoch === undefined ? notFound(id, cause) : leaseLost(id, epoch);
}

/**
 * A writer that slept through so many commits that its number was let go of could add it again. Then it or the
 * revision before is gone, and the journal knows whose number it was.
 */
async function lostItsNumber(
  { history, disk }: StoreContext,
  { paths }: OpenLoop,
  { commit: { revision, parent, op_id } }: StoredCommit,
): Promise<boolean> {
  const isThere = (one: number) => history.identity(paths, one) !== null;
  if (isThere(revision) && (parent === null || isThere(revision - 1))) return false;
  for await (const entry of readJournal(disk, paths.journal)) {
    if (entry.revision === revision && entry.op_id === op_id) return false;
  }
  history.withdraw(paths, revision);
  return true;
}

/** Throws `fenced` where the epoch is not that of the loop any more. */
export function requireEpoch(
  { disk }: StoreContext,
  { paths }: OpenLoop,
  epoch: number | undefined,
): void {
  if (epoch === undefined || disk.info(epochFolder(paths.history, epoch))?.kind === "folder") {
    return;
  }
  throw leaseLost(paths.id, epoch);
}

function valid<T>(parse: () => T, type: string): T {
  try {
    return parse();
  } catch (error) {
    throw new LoopError(
      "invalid_input",
      `The ${type} event does not fit the schema, or what it would make of the loop does not: ${whyOf(error)}`,
      { cause: error },
    );
  }
}

function whyOf(error: unknown): string {
  return error instanceof ZodError ? invalidInput(error).message : errorText(error);
}
