import { parseLoopId } from "@ccw-loop/core";
import type { StoredCommit } from "./commit/commit-form.ts";
import type { History } from "./commit/history.ts";
import type { Disk, Displaced, FileInfo } from "./fs/disk.ts";
import { type LoopPaths, loopPaths, type ProjectPaths } from "./paths.ts";
import type { Runtime } from "./runtime.ts";

/** What every part of the store works with. */
export interface StoreContext {
  disk: Disk;
  runtime: Runtime;
  history: History;
  /** Behind a commit with fewer characters, commits hold the whole state. */
  wholeBelow: number;
  project: ProjectPaths;
  now(): Date;
  late: LateWriters;
  /** Tells the owner of the store about something that was repaired, kept aside or could not be written. */
  warn(id: string, message: string): void;
  open(id: string): OpenLoop;
}

/** Looks after documents that were replaced while another program may have had them open to write, and their successors. */
export interface LateWriters {
  /** Takes over the file; `text` is what was in it and was dealt with already, `unfinished` when that is no whole document. */
  watch(id: string, displaced: Displaced, text: string, unfinished: boolean): void;
  /** Looks at all of them now; resolves when what was found is taken in. */
  close(): Promise<void>;
}

/** Up to which revision the journal is known to be whole, and at which byte that ends. */
export interface JournalEnd {
  revision: number;
  position: number;
}

/** What this store remembers about a loop. All of it can be read again from the files. */
export interface OpenLoop {
  paths: LoopPaths;
  /** The newest commit that was seen, and the identity of its file. */
  head: { stored: StoredCommit; file: string } | null;
  /** The newest revision of which this store knows that it is safe. */
  durable: number;
  /** The identity of the published document, once it was found to hold `publishedText`; null while it may be written unnoticed. */
  settledDocument: string | null;
  /** The text of the published document that needs no second look: ours, or taken in already. */
  publishedText: string | null;
  /** The revision that the published document shows; 0 when it has to be written again. */
  published: number;
  journal: JournalEnd | null;
  /** Whether the journal was asked if it tells of commits that the history misses. */
  journalChecked: boolean;
  /** Journal lines of commits of this store that the journal may lack. */
  lines: Map<number, string>;
  /** Progress documents that have to be written again; null for all. */
  staleProgressFiles: Set<string> | null;
  /** The identity of each progress document as it was last written or found right; empty before the first look. */
  documents: Map<string, string>;
  /** The task file as it was last written or taken in. */
  tasks: { file: string; text: string } | null;
  /** What requests of the last day made, by the names of their op ids, the oldest first, as far as `opsThrough`. */
  ops: Map<string, Op>;
  opsThrough: number;
  /** The revision at which old ones were last let go of. */
  trimmedAt: number;
}

/** What one request made. */
interface Op {
  opId: string;
  revision: number;
  /** When, in milliseconds since 1970. */
  at: number;
}

export function newOpenLoop(folder: string, id: string): OpenLoop {
  return {
    paths: loopPaths(folder, parseLoopId(id)),
    head: null,
    durable: 0,
    settledDocument: null,
    publishedText: null,
    published: 0,
    journal: null,
    journalChecked: false,
    lines: new Map(),
    staleProgressFiles: null,
    documents: new Map(),
    tasks: null,
    ops: new Map(),
    opsThrough: 0,
    trimmedAt: 0,
  };
}

/** Forgets all but the id: the files are not those that were remembered. */
export function forget(loop: OpenLoop): void {
  Object.assign(loop, newOpenLoop(loop.paths.folder, loop.paths.id));
}

/** Differs whenever a file was replaced or written; null when there is none. */
export function identityOf(disk: Disk, path: string): string | null {
  const info = disk.info(path);
  return info && `${info.instance}-${info.size}`;
}

/** How far apart two changes of a file have to be to differ in its times. */
const SETTLES_MS = 100;

/** The same for a file whose every later change can be told by it; null while one could not. */
export function settledFile({ runtime }: StoreContext, info: FileInfo | null): string | null {
  if (!info || runtime.wall() - info.changed <= SETTLES_MS) return null;
  return [info.instance, info.size, info.changed].join("-");
}

/** How much is remembered at once: loops, and characters of their files. The others are read again. */
const MOST_LOOPS = 1000;
const MOST_CHARACTERS = 8_000_000;

/** What is remembered about loops; those longest out of use are forgotten first. */
export function rememberedLoops(folder: string): (id: string) => OpenLoop {
  const remembered = new Map<string, { loop: OpenLoop; characters: number }>();
  let characters = 0;
  let newest = "";

  /** What a loop holds changes while it is worked on, so it is counted again when another one's turn comes. */
  function count(id: string): void {
    const entry = remembered.get(id);
    if (!entry) return;
    const { publishedText, tasks } = entry.loop;
    characters -= entry.characters;
    entry.characters = (publishedText?.length ?? 0) + (tasks?.text.length ?? 0);
    characters += entry.characters;
  }

  return (id) => {
    if (id !== newest) count(newest);
    newest = id;
    const entry = remembered.get(id) ?? { loop: newOpenLoop(folder, id), characters: 0 };
    remembered.delete(id);
    remembered.set(id, entry);
    for (const [oldest, { characters: own }] of remembered) {
      const full = remembered.size > MOST_LOOPS || characters > MOST_CHARACTERS;
      if (!full || oldest === id) break;
      characters -= own;
      remembered.delete(oldest);
    }
    return entry.loop;
  };
}
