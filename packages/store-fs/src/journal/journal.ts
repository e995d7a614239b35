import { basename } from "node:path";
import { LoopEvent, Revision, tryParseJson } from "@ccw-loop/core";
import { MAX_FILE_BYTES } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { backUp } from "../backups.ts";
import type { CommitHead } from "../commit/commit-form.ts";
import { digestOf } from "../commit/etag.ts";
import { gapsIn, revisionsText } from "../commit/revision-names.ts";
import type { JournalEnd, OpenLoop, StoreContext } from "../context.ts";
import type { Disk } from "../fs/disk.ts";
import { temporary } from "../paths.ts";
import { type Line, linesOf, tailsOf } from "./lines.ts";

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

/** What the journal keeps of a commit. */
export type JournalEntry = Pick<CommitHead, "revision" | "actor" | "events"> & {
  op_id: string | undefined;
};

/** The lines of a commit. They depend on the commit alone: whoever writes them writes the same bytes. */
export function journalText({ revision, actor, op_id, events }: JournalEntry): string {
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
  yield* entriesIn(linesOf(disk.chunks(path)), unreadable);
}

/** The same for a part of a journal: a commit whose lines do not all lie in it is left out. */
async function* entriesIn(
  source: AsyncIterable<Line> | Iterable<Line>,
  unreadable: (line: Line) => void = () => {},
): AsyncIterable<JournalEntry> {
  let last = 0;
  let open: JournalEntry | undefined;
  for await (const line of source) {
    if (line.text.trim() === "") continue;
    const parsed = parseLine(line.text);
    if (!parsed) unreadable(line);
    if (!parsed || parsed.revision <= last) continue;
    const { revision, actor, op_id, of = 1, event } = parsed;
    if (open?.revision !== revision) open = { revision, actor, op_id, events: [] };
    open.events.push(event);
    if (open.events.length < of) continue;
    yield open;
    last = revision;
  }
}

/**
 * What the journal tells since a moment (milliseconds since 1970), in order, and perhaps more: of a large one no more is
 * read than that.
 */
export async function* journalSince(
  disk: Disk,
  path: string,
  since: number,
): AsyncIterable<JournalEntry> {
  if ((disk.info(path)?.size ?? 0) <= MAX_FILE_BYTES) {
    for (const { lines, isAll } of tailsOf(disk, path)) {
      const first = firstOf(lines);
      const reachesBack = first !== null && timeOf([first.event]) < since;
      if (isAll || reachesBack) return yield* entriesIn(lines);
    }
  }
  yield* readJournal(disk, path);
}

function firstOf(lines: readonly Line[]): JournalLine | null {
  for (const { text } of lines) {
    const line = parseLine(text);
    if (line) return line;
  }
  return null;
}

/** When a commit was made, as its events say: milliseconds since 1970. */
export function timeOf(events: readonly LoopEvent[]): number {
  return Date.parse(events[0]?.at ?? "");
}

/** The lines of a commit as the journal has them; null when the commit is gone. */
type TextOf = (revision: number) => string | null;

/**
 * Brings the journal up to `newest`. Every revision has its one place in the file, behind the one before it,
 * so writers that do this at the same time write the same bytes to the same place and nothing is doubled,
 * and what a crash left half written is written again. Lines that are not of our commits make room. `end` is where
 * the caller left off.
 */
export async function catchUp(
  context: Pick<StoreContext, "disk" | "history" | "warn">,
  loop: OpenLoop,
  newest: number,
  end: JournalEnd | null = loop.journal,
): Promise<JournalEnd> {
  const { disk, history, warn } = context;
  const { paths } = loop;
  const path = paths.journal;
  const textOf: TextOf = (revision) => {
    const text = loop.lines.get(revision);
    if (text !== undefined) return text;
    const commit = history.tryEvents(paths, revision);
    return commit && journalText(commit);
  };
  const size = disk.info(path)?.size ?? 0;
  const last = end?.position === size ? end : endOf(disk, path, size, newest, textOf);
  const found = history.between(paths, last.revision, newest).flatMap((revision) => {
    const text = textOf(revision);
    return text === null ? [] : [{ revision, text }];
  });
  const told = found.map(({ revision }) => revision);
  const lost = gapsIn(told, last.revision + 1, newest);
  // A commit is let go of only when the journal has it: the end we saw is an old one. Writing there would put
  // later lines over earlier ones.
  const behind = lost.length > 0 && (disk.info(path)?.size ?? 0) !== size;
  if (behind) return catchUp(context, loop, newest, null);
  const text = found.map((one) => one.text).join("");
  if (text === "") return last;
  const there = disk.readBytes(path, last.position, Math.max(0, size - last.position));
  const name = basename(path);
  if (isBegunBy(there, Buffer.from(text))) {
    disk.writeAt(path, last.position, text);
  } else {
    const draft = temporary(paths.history);
    const whole = disk.readBytes(path, 0, last.position);
    disk.write(draft, Buffer.concat([whole, Buffer.from(text)]));
    // What the history has let go of lies in the journal alone: a name without content would lose it.
    await disk.syncFile(draft);
    if ((disk.info(path)?.size ?? 0) !== size) {
      disk.remove(draft);
      return catchUp(context, loop, newest, null);
    }
    const aside = basename(backUp(context, loop, path, "damaged", there));
    warn(
      paths.id,
      `The end of ${name} was damaged. It is written again; what stood there is kept as ${aside}.`,
    );
    disk.rename(draft, path);
  }
  if (lost.length > 0) {
    warn(paths.id, `${name} was damaged and lacks ${revisionsText(lost)}; the state is intact.`);
  }
  return { revision: newest, position: last.position + Buffer.byteLength(text) };
}

/** The newest revision of which the journal has a line; 0 for none. */
export function lastJournalRevision(disk: Disk, path: string): number {
  for (const { lines } of tailsOf(disk, path)) {
    for (const { text } of lines.reverse()) {
      const line = parseLine(text);
      if (line) return line.revision;
    }
  }
  return 0;
}

/** True when one of them is how the other begins: half of our own lines, or more of them than we know. */
function isBegunBy(there: Buffer, ours: Buffer): boolean {
  const length = Math.min(there.length, ours.length);
  return there.subarray(0, length).equals(ours.subarray(0, length));
}

/** Where to go on: behind the last revision but one when the last can be written again, else behind it. */
function endOf(disk: Disk, path: string, size: number, newest: number, textOf: TextOf): JournalEnd {
  for (const { lines, isAll } of tailsOf(disk, path, size)) {
    const found = upToOurs(lines, newest, textOf);
    const last = found.at(-1);
    const first = found.find((line) => line.revision === last?.revision);
    if (!isAll && (!first || first === found[0])) continue;
    if (!last || !first) break;
    return textOf(last.revision) === null
      ? { revision: last.revision, position: last.end }
      : { revision: last.revision - 1, position: first.start };
  }
  return { revision: 0, position: 0 };
}

/** The lines up to the last one that a commit of ours made: others may write into the journal as well. */
function upToOurs(
  lines: readonly Line[],
  newest: number,
  textOf: TextOf,
): (Line & { revision: number })[] {
  const found: (Line & { revision: number; highest: number })[] = [];
  for (const line of lines) {
    const revision = parseLine(line.text)?.revision;
    if (revision === undefined || revision > newest) continue;
    found.push({ ...line, revision, highest: Math.max(revision, found.at(-1)?.highest ?? 0) });
  }
  for (let last = found.at(-1); last; last = found.at(-1)) {
    const ours = textOf(last.revision);
    const isOurs = ours?.includes(`${last.text}\n`) ?? last.revision === last.highest;
    if (isOurs) break;
    found.pop();
  }
  return found;
}
