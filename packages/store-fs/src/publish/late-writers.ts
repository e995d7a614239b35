import { digestOf, isSealed } from "../commits/commit.ts";
import { jsonOf } from "../commits/lines.ts";
import type { Displaced } from "../disk/disk.ts";
import { textOf } from "../disk/text.ts";
import type { ForeignDocument } from "../foreign/take-in.ts";
import type { Machine, Timer } from "../machine.ts";
import { whole } from "./whole.ts";

/**
 * For how long a document that was replaced is looked after, and how many at once: each is an open file. So long
 * may the bytes of the new one take to the disk, too: waiting for them each time would cost as much as a commit.
 */
const LATE_MS = 1000;
const MOST = 32;

/** Looks after documents that were replaced while another program may have had them open to write, and their successors. */
export interface LateWriters {
  /** Takes over the file; `text` is what was in it and was dealt with already. */
  watch(id: string, displaced: Displaced, text: string): void;
  /** Looks at all of them now; resolves when what was found is taken in. */
  close(): Promise<void>;
}

interface Kept {
  id: string;
  displaced: Displaced;
  /** The digest of the text that was seen: the texts themselves may be large. */
  seen: string;
  timer: Timer;
}

/** `found` takes in what somebody wrote there after all; `sync` makes the bytes of a loop's document durable. */
export function lateWriters(
  machine: Machine,
  found: (id: string, foreign: ForeignDocument) => Promise<void>,
  sync: (id: string) => Promise<void>,
): LateWriters {
  const kept = new Set<Kept>();
  /** When the document of each loop that is not durable yet was first replaced. */
  const dirty = new Map<string, number>();

  async function syncOld(age: number): Promise<void> {
    const ids = [...dirty].flatMap(([id, since]) => (machine.elapsed() - since >= age ? [id] : []));
    for (const id of ids) {
      dirty.delete(id);
      // The loop may be gone, and its document can be written again at any time.
      await sync(id).catch(() => {});
    }
  }

  async function look(one: Kept): Promise<void> {
    if (!kept.delete(one)) return;
    one.timer.cancel();
    const { id, displaced, seen } = one;
    try {
      if (digestOf(textOf(displaced.bytes())) === seen) return;
      const { bytes, text } = await whole(machine, () => displaced.bytes());
      if (!isSealed(jsonOf(text))) await found(id, { bytes, text, instance: displaced.instance });
    } finally {
      displaced.close();
      await syncOld(LATE_MS - 1);
    }
  }

  return {
    watch(id, displaced, text) {
      const seen = digestOf(text);
      const timer = machine.after(LATE_MS, () => void look(one).catch(() => {}));
      timer.keepProcess(false);
      const one: Kept = { id, displaced, seen, timer };
      kept.add(one);
      if (!dirty.has(id)) dirty.set(id, machine.elapsed());
      const [oldest] = kept;
      if (kept.size > MOST && oldest) void look(oldest).catch(() => {});
    },
    async close() {
      await Promise.all([...kept].map(look));
      await syncOld(0);
    },
  };
}
