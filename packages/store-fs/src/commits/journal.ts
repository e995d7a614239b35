import { LoopEvent } from "@ccw-loop/core";
import { z } from "zod";
import type { Disk } from "../disk/disk.ts";
import type { Commit } from "./commit.ts";
import { jsonOf, linesIn, linesOf } from "./lines.ts";

/** One line of `{loopId}.journal.jsonl`. */
const JournalLine = z.object({
  revision: z.int().positive(),
  actor: z.string(),
  op_id: z.string().optional(),
  /** How many events the commit has, when more than one. */
  of: z.int().optional(),
  event: LoopEvent,
});

/** The events of one commit as the journal keeps them. */
export interface JournalEntry {
  revision: number;
  actor: string;
  opId: string | undefined;
  events: LoopEvent[];
}

/** Up to which revision the journal is known to be whole, and at which byte that ends. */
export interface JournalEnd {
  revision: number;
  position: number;
}

const TAIL = 64 * 1024;

export function entryOf({ revision, actor, op_id, events }: Commit): JournalEntry {
  return { revision, actor, opId: op_id, events };
}

/** The lines of a commit. They depend on the commit alone: whoever writes them writes the same bytes. */
export function journalText({ revision, actor, op_id, events }: Commit): string {
  const of = events.length > 1 ? events.length : undefined;
  const lines = events.map((event) => JSON.stringify({ revision, actor, op_id, of, event }));
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * Brings the journal up to `newest`. Every revision has its one place in the file, behind the one before it,
 * so writers that do this at the same time write the same bytes to the same place and nothing is doubled,
 * and what a crash left half written is written again. `textOf` gives the lines of a revision, null when its
 * commit is gone; `end` is where the caller left off.
 */
export function catchUp(
  disk: Disk,
  path: string,
  newest: number,
  textOf: (revision: number) => string | null,
  end: JournalEnd | null,
): JournalEnd {
  const size = disk.info(path)?.size ?? 0;
  const last = end?.position === size ? end : endOf(disk, path, size, textOf);
  const texts: (string | null)[] = [];
  for (let revision = last.revision + 1; revision <= newest; revision++) {
    texts.push(textOf(revision));
  }
  // A commit is let go of only when the journal has it: the end we saw is an old one. Writing there would put
  // later lines over earlier ones.
  const behind = texts.includes(null) && (disk.info(path)?.size ?? 0) !== size;
  if (behind) return catchUp(disk, path, newest, textOf, null);
  const text = texts.filter((one) => one !== null).join("");
  if (text === "") return last;
  disk.writeAt(path, last.position, text);
  return { revision: newest, position: last.position + Buffer.byteLength(text) };
}

/** Where to go on: behind the last revision but one when the last can be written again, else behind it. */
function endOf(
  disk: Disk,
  path: string,
  size: number,
  textOf: (revision: number) => string | null,
): JournalEnd {
  for (let length = TAIL; ; length *= 4) {
    const start = Math.max(0, size - length);
    const bytes = disk.readBytes(path, start, size - start);
    const found = linesIn(bytes, start).flatMap((line) => {
      const parsed = JournalLine.safeParse(jsonOf(line.text));
      return parsed.success ? [{ ...line, revision: parsed.data.revision }] : [];
    });
    const last = found.at(-1);
    const first = found.find((line) => line.revision === last?.revision);
    if (start > 0 && (!first || first === found[0])) continue;
    if (!last || !first) return { revision: 0, position: 0 };
    return textOf(last.revision) === null
      ? { revision: last.revision, position: last.end }
      : { revision: last.revision - 1, position: first.start };
  }
}

/**
 * What the journal tells, in order. Lines that are none of ours, repetitions, and a commit that was only
 * half written are left out.
 */
export async function* readJournal(disk: Disk, path: string): AsyncIterable<JournalEntry> {
  let last = 0;
  let open: JournalEntry | undefined;
  for await (const { text } of linesOf(disk.chunks(path))) {
    const parsed = JournalLine.safeParse(jsonOf(text));
    if (!parsed.success || parsed.data.revision <= last) continue;
    const { revision, actor, op_id: opId, of = 1, event } = parsed.data;
    if (open?.revision !== revision) open = { revision, actor, opId, events: [] };
    open.events.push(event);
    if (open.events.length < of) continue;
    yield open;
    last = revision;
  }
}
