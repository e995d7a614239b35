import { LoopEvent, Revision, tryParseJson } from "@ccw-loop/core";
import { z } from "zod";
import type { Disk } from "../disk/disk.ts";
import { type Commit, digestOf } from "./commit.ts";
import { type Line, linesOf } from "./lines.ts";

/** One line of `{loopId}.journal.jsonl`. */
const JournalLine = z.object({
  revision: Revision,
  actor: z.string(),
  op_id: z.string().optional(),
  /** How many events the commit has, when more than one. */
  of: z.int().optional(),
  event: LoopEvent,
});
type JournalLine = z.infer<typeof JournalLine>;

/** How a line ends: the first digits of the digest of all before it. */
const SUM = /,"sum":"([^"]*)"\}$/;
const SUM_DIGITS = 8;

/** The events of one commit as the journal keeps them. */
export interface JournalEntry {
  revision: number;
  actor: string;
  opId: string | undefined;
  events: LoopEvent[];
}

/** What the journal keeps of a commit. */
type JournalCommit = Pick<Commit, "revision" | "actor" | "events"> & { op_id: string | undefined };

export function entryOf({ revision, actor, op_id, events }: Omit<Commit, "state">): JournalEntry {
  return { revision, actor, opId: op_id, events };
}

/** The lines of a commit. They depend on the commit alone: whoever writes them writes the same bytes. */
export function journalText({ revision, actor, op_id, events }: JournalCommit): string {
  const of = events.length > 1 ? events.length : undefined;
  const lines = events.map((event) => {
    const whole = JSON.stringify({ revision, actor, op_id, of, event }).slice(0, -1);
    return `${whole},"sum":"${digestOf(whole).slice(0, SUM_DIGITS)}"}\n`;
  });
  return lines.join("");
}

/** What a line tells; null when it is none of ours or not as we wrote it. */
export function parseLine(text: string): JournalLine | null {
  const sum = SUM.exec(text);
  if (sum && sum[1] !== digestOf(text.slice(0, sum.index)).slice(0, SUM_DIGITS)) return null;
  const parsed = JournalLine.safeParse(tryParseJson(text));
  return parsed.success ? parsed.data : null;
}

/**
 * What the journal tells, in order. Repetitions and a commit that was only half written are left out, and so
 * are lines that cannot be read, which `unreadable` is told of.
 */
export async function* readJournal(
  disk: Disk,
  path: string,
  unreadable: (line: Line) => void = () => {},
): AsyncIterable<JournalEntry> {
  let last = 0;
  let open: JournalEntry | undefined;
  for await (const line of linesOf(disk.chunks(path))) {
    if (line.text.trim() === "") continue;
    const parsed = parseLine(line.text);
    if (!parsed) unreadable(line);
    if (!parsed || parsed.revision <= last) continue;
    const { revision, actor, op_id: opId, of = 1, event } = parsed;
    if (open?.revision !== revision) open = { revision, actor, opId, events: [] };
    open.events.push(event);
    if (open.events.length < of) continue;
    yield open;
    last = revision;
  }
}
