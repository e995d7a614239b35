import { createHash, type Hash } from "node:crypto";
import {
  type Clock,
  decide,
  evolve,
  invalidInput,
  isLoopError,
  isPlain,
  LoopError,
  LoopId,
  type LoopRecords,
  LoopState,
  type LoopStore,
  RecordedEvent,
  SCHEMA_VERSION,
  toLoopError,
  tryParseJson,
} from "@ccw-loop/core";
import { z } from "zod";
import type { RestoredLoop } from "./local-loops.ts";

const VERSION = 1;

const Begin = z.object({ ccw_loop_archive: z.int(), loop_id: LoopId, state: z.unknown() });
const End = z.object({ end: LoopId, sha256: z.string() });

/**
 * A loop as lines of an archive, of one moment: its state, its history, its log, and a digest of all these. Progress
 * documents and tasks follow from the state. Throws `loop_not_found`, `store_corrupt`.
 */
export async function archiveLoop(store: LoopStore, id: string): Promise<string[]> {
  const { state, revision } = await store.read(id);
  const { etag: _, ...kept } = state;
  const lines = [JSON.stringify({ ccw_loop_archive: VERSION, loop_id: id, state: kept })];
  for await (const recorded of store.events(id)) {
    if (recorded.revision > revision) break;
    lines.push(JSON.stringify(recorded));
  }
  for await (const { record } of store.readLog(id)) lines.push(JSON.stringify({ log: record }));
  const hash = createHash("sha256");
  for (const line of lines) hash.update(`${line}\n`);
  return [...lines, JSON.stringify({ end: id, sha256: hash.digest("hex") })];
}

interface OpenLoop {
  id: string;
  hash: Hash;
  state: LoopState;
  events: RecordedEvent[];
  log: unknown[];
}

/** The loops of an archive, each when its end was read. Throws `invalid_input` with the line that is wrong, `store_unavailable` for what a newer version wrote. */
async function* archivedLoops(lines: AsyncIterable<string>): AsyncIterable<LoopRecords> {
  let loop: OpenLoop | null = null;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const value = tryParseJson(line);
    if (!isPlain(value)) throw wrongLine(number, "it is no JSON object");
    if (loop === null) {
      loop = begun(value, number);
    } else if (value.end !== undefined) {
      const end = parsed(End, value, number);
      if (end.end !== loop.id || end.sha256 !== loop.hash.digest("hex")) {
        throw wrongLine(number, `loop ${loop.id} is not as it was written`);
      }
      const { state, events, log } = loop;
      yield { state, events, log };
      loop = null;
      continue;
    } else if ("log" in value) {
      loop.log.push(value.log);
    } else {
      loop.events.push(parsed(RecordedEvent, value, number));
    }
    loop.hash.update(`${line}\n`);
  }
  if (loop !== null) throw wrongLine(number, `loop ${loop.id} is cut off after it`);
}

function begun(value: Record<string, unknown>, number: number): OpenLoop {
  const { ccw_loop_archive: version, loop_id: id, state: kept } = parsed(Begin, value, number);
  const schema = isPlain(kept) ? Number(kept.schema_version ?? 1) : 1;
  if (version > VERSION || schema > SCHEMA_VERSION) {
    const message = `Loop ${id} was exported by a newer version of ccw-loop. Import it with that one.`;
    throw new LoopError("store_unavailable", message, { details: { version, schema } });
  }
  const state = parsed(LoopState, kept, number);
  if (state.loop_id !== id) throw wrongLine(number, `it has the state of loop ${state.loop_id}`);
  return { id, hash: createHash("sha256"), state, events: [], log: [] };
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, number: number): T {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  throw wrongLine(number, invalidInput(found.error).message);
}

function wrongLine(number: number, why: string): LoopError {
  return new LoopError(
    "invalid_input",
    `Line ${number} of the archive cannot be used: ${why.replace(/\.$/, "")}. Make the archive again with: ccw-loop export --all loops.jsonl`,
    { details: { line: number } },
  );
}

export async function restoreArchive(
  deps: { store: LoopStore; clock: Clock },
  lines: () => AsyncIterable<string>,
): Promise<RestoredLoop[]> {
  const found: RestoredLoop[] = [];
  for await (const _ of archivedLoops(lines())) {
    // Whatever is wrong is told before anything is made.
  }
  for await (const loop of archivedLoops(lines())) {
    const { loop_id: id } = loop.state;
    try {
      found.push({ id, made: await restored(deps, loop), error: null });
    } catch (error) {
      found.push({ id, made: false, error: toLoopError(error) });
    }
  }
  return found;
}

async function restored(
  { store, clock }: { store: LoopStore; clock: Clock },
  loop: LoopRecords,
): Promise<boolean> {
  try {
    await store.restore(atRest(loop, clock.now().toISOString()));
    return true;
  } catch (error) {
    if (!isLoopError(error, "loop_exists")) throw error;
    const { loop_id: id, created_at, revision = 1 } = loop.state;
    const { state } = await store.read(id);
    const isSame = state.created_at === created_at;
    if (isSame && (state.revision ?? 0) >= revision) return false;
    const what = isSame ? "an older state of the same loop" : "another one";
    const message = `Loop ${id} exists already, and it is ${what}. Delete it first with: ccw-loop delete ${id}`;
    throw new LoopError("loop_exists", message, { cause: error, details: { id } });
  }
}

function atRest({ state, events, log }: LoopRecords, at: string): LoopRecords {
  if (state.status !== "running") return { state, events, log };
  const decided = decide(state, { type: "pause", reason: "imported" }, at);
  const revision = (state.revision ?? 1) + 1;
  const paused = decided.reduce<LoopState>(evolve, state);
  return {
    state: { ...paused, revision },
    events: [...events, ...decided.map((event) => ({ revision, actor: "import", event }))],
    log,
  };
}
