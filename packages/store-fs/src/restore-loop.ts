import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  errorText,
  invalidInput,
  LoopError,
  LoopEvent,
  type LoopRecords,
  type RecordedEvent,
} from "@ccw-loop/core";
import { ZodError } from "zod";
import { encodeCommit, type StoredCommit } from "./commit/commit-form.ts";
import { refresh } from "./commit/head.ts";
import type { OpenLoop, StoreContext } from "./context.ts";
import { journalText } from "./journal/journal.ts";
import { temporary } from "./paths.ts";
import { progressFolder } from "./publish/progress-files.ts";
import { clearLeftovers } from "./remove.ts";
import { makeHistory } from "./safe-folders.ts";

/**
 * Makes a loop as it was elsewhere. Journal and log are there before the revision that makes a loop of them: whoever dies in
 * between leaves none. Null when there is one of that name. Throws `invalid_input` for what breaks the schema.
 */
export async function restore(
  context: StoreContext,
  loop: OpenLoop,
  { state, events, log }: LoopRecords,
): Promise<StoredCommit | null> {
  const { disk, history } = context;
  const { paths } = loop;
  const { revision = 1 } = state;
  const commits = commitsOf(events);
  const last = commits.find((one) => one.revision === revision);
  const { text } = valid(() =>
    encodeCommit({
      ...{ revision, parent: null, op_id: randomUUID(), epoch: null },
      ...{ at: context.now().toISOString(), actor: last?.actor ?? "import" },
      ...{ events: last?.events ?? [], state },
    }),
  );
  clearLeftovers(context, loop);
  makeHistory(context, paths, 0);
  const draft = temporary(paths.history);
  const before = commits.filter((one) => one.revision < revision);
  disk.write(draft, before.map((one) => journalText({ ...one, op_id: undefined })).join(""));
  await disk.syncFile(draft);
  disk.rename(draft, paths.journal);
  if (log.length > 0) {
    const file = join(paths.progress, "agent.log");
    progressFolder(context, paths.progress);
    await disk.append(file, log.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }
  if (!(await history.add(paths, revision, text, paths.history))) return null;
  for (const folder of [paths.history, paths.folder]) await disk.syncFolder(folder);
  return refresh(context, loop);
}

interface RecordedCommit {
  revision: number;
  actor: string;
  events: LoopEvent[];
}

function commitsOf(recorded: readonly RecordedEvent[]): RecordedCommit[] {
  const commits: RecordedCommit[] = [];
  for (const { revision, actor, event } of recorded) {
    if (commits.at(-1)?.revision !== revision) commits.push({ revision, actor, events: [] });
    commits.at(-1)?.events.push(valid(() => LoopEvent.parse(event)));
  }
  return commits;
}

function valid<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const why = error instanceof ZodError ? invalidInput(error).message : errorText(error);
    throw new LoopError("invalid_input", `The loop does not fit the schema: ${why}`, {
      cause: error,
    });
  }
}
