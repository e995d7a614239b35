import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoopId, tryParseJson } from "@ccw-loop/core";
import { mayLive, thisProcess } from "@ccw-loop/processes/identity";
import { readPlain } from "@ccw-loop/processes/plain-file";
import { z } from "zod";

const Owner = z.object({
  pid: z.int().positive(),
  started: z.string().nullable(),
  boot: z.string(),
  namespace: z.string(),
});
const Entry = z.object({
  loop: LoopId,
  /** Up to this revision nothing is owed to anybody. */
  after: z.int().nonnegative(),
  /** The same for single webhooks, by name: what was delivered, or given up. */
  done: z.record(z.string(), z.int().nonnegative()),
});
export type Entry = z.infer<typeof Entry>;
const Kept = Entry.extend({ owner: Owner });

const MOST_BYTES = 64 * 1024;

/**
 * Up to which revision the messages of each loop are dealt with: a file for every loop that this process drives, or still
 * owes a message of. With the loop's journal that tells what is owed, so a process that was killed is made up for by the next.
 */
export class Outbox {
  readonly #folder: string;
  readonly #mark = `${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  readonly #entries = new Map<string, Entry>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  has(loop: string): boolean {
    return this.#entries.has(loop);
  }

  /** Everything up to this revision is dealt with, unless something of the loop is owed already. */
  begin(loop: string, revision: number): void {
    if (!this.has(loop)) this.#write({ loop, after: revision, done: {} });
  }

  owes(loop: string, webhook: string, revision: number): boolean {
    const entry = this.#entries.get(loop);
    return entry !== undefined && revision > Math.max(entry.after, entry.done[webhook] ?? 0);
  }

  /** The message of this revision was delivered, or given up. */
  done(loop: string, webhook: string, revision: number): void {
    const entry = this.#entries.get(loop);
    if (entry) this.#write({ ...entry, done: { ...entry.done, [webhook]: revision } });
  }

  remove(loop: string): void {
    if (this.#entries.delete(loop)) rmSync(this.#pathOf(loop), { force: true });
  }

  /** Takes over what processes left that do not live any more. Of several that do so at once one gets each loop. */
  adopt(): Entry[] {
    return this.#names().flatMap((name) => {
      const path = join(this.#folder, name);
      const kept = read(path);
      if (kept === "unreadable") rmSync(path, { force: true });
      if (kept === null || kept === "unreadable" || mayLive(kept.owner)) return [];
      const { owner: _, ...entry } = kept;
      return this.#take(path, entry) ? [entry] : [];
    });
  }

  #take(path: string, entry: Entry): boolean {
    try {
      if (this.has(entry.loop)) rmSync(path);
      else renameSync(path, this.#pathOf(entry.loop));
    } catch {
      return false;
    }
    if (this.has(entry.loop)) return false;
    this.#write(entry);
    return true;
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith(".json"));
    } catch {
      return [];
    }
  }

  #pathOf(loop: string): string {
    return join(this.#folder, `${loop}.${this.#mark}.json`);
  }

  /** Kept in memory as well, so that a full disk costs only what a kill would lose. */
  #write(entry: Entry): void {
    this.#entries.set(entry.loop, entry);
    const path = this.#pathOf(entry.loop);
    const kept = { ...entry, owner: thisProcess() };
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.tmp`, JSON.stringify(kept), { mode: 0o600 });
      renameSync(`${path}.tmp`, path);
    } catch {
      rmSync(`${path}.tmp`, { force: true });
    }
  }
}

/** Null where there is none any more. */
function read(path: string): z.infer<typeof Kept> | "unreadable" | null {
  try {
    const bytes = readPlain(path, { most: MOST_BYTES });
    if (bytes === null) return null;
    return Kept.safeParse(tryParseJson(bytes.toString("utf8"))).data ?? "unreadable";
  } catch {
    return null;
  }
}
