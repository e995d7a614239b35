import { digestOf } from "../commit/etag.ts";
import type { LateWriters } from "../context.ts";
import type { ExternalDocument } from "../external-edits/import-document.ts";
import { type Displaced, textOf } from "../fs/disk.ts";
import { readUntilComplete } from "../fs/read-until-complete.ts";
import type { Runtime, Timer } from "../runtime.ts";

/**
 * For how long a document that was replaced is looked after, and how many at once: each is an open file. So long
 * may the bytes of the new one take to the disk, too: waiting for them each time would cost as much as a commit.
 */
const LATE_MS = 1000;
const MOST = 32;
/** For how long one that somebody was just writing: it was empty or half there when it was replaced. */
const UNFINISHED_MS = 60_000;

interface Kept {
  id: string;
  displaced: Displaced;
  /** The digest of the text that was seen: the texts themselves may be large. */
  seen: string;
  unfinished: boolean;
  /** When it is let go of. */
  until: number;
  timer?: Timer;
}

/** `found` takes in what somebody wrote there after all; `sync` makes the bytes of a loop's document durable. */
export function lateWriters(
  runtime: Runtime,
  found: (id: string, edited: ExternalDocument) => Promise<void>,
  sync: (id: string) => Promise<void>,
): LateWriters {
  const kept = new Set<Kept>();
  /** When the document of each loop that is not durable yet was first replaced. */
  const dirty = new Map<string, number>();

  async function syncOld(age: number): Promise<void> {
    const ids = [...dirty].flatMap(([id, since]) => (runtime.elapsed() - since >= age ? [id] : []));
    for (const id of ids) {
      dirty.delete(id);
      // The loop may be gone, and its document can be written again at any time.
      await sync(id).catch(() => {});
    }
  }

  function keep(one: Kept): void {
    one.timer = runtime.after(LATE_MS, () => void look(one, one.until).catch(() => {}));
    one.timer.keepProcess(false);
    kept.add(one);
  }

  /** Lets go of it when it has changed, or from `until` on. */
  async function look(one: Kept, until: number): Promise<void> {
    if (!kept.delete(one)) return;
    one.timer?.cancel();
    const { id, displaced, seen } = one;
    let again = false;
    try {
      const same = digestOf(textOf(displaced.bytes())) === seen;
      again = same && runtime.elapsed() < until;
      if (same) return;
      const late = await readUntilComplete(runtime, () => displaced.bytes());
      const { instance } = displaced;
      await found(id, { ...late, instance, written: displaced.written(), covered: true });
    } finally {
      if (again) keep(one);
      else displaced.close();
      await syncOld(LATE_MS - 1);
    }
  }

  return {
    watch(id, displaced, text, unfinished) {
      const now = runtime.elapsed();
      const until = now + (unfinished ? UNFINISHED_MS : LATE_MS - 1);
      keep({ id, displaced, seen: digestOf(text), unfinished, until });
      if (!dirty.has(id)) dirty.set(id, now);
      if (kept.size <= MOST) return;
      const [first] = kept;
      const oldest = [...kept].find((one) => !one.unfinished) ?? first;
      if (oldest) void look(oldest, now).catch(() => {});
    },
    async close() {
      await Promise.all([...kept].map((one) => look(one, 0)));
      await syncOld(0);
    },
  };
}
