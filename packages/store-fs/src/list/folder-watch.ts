import { type FSWatcher, watch } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import type { Disk } from "../disk/disk.ts";

const LOOK_EVERY_MS = 400;

/** Tells of changed names in a folder, by the operating system and by looking now and then. */
export interface FolderWatch {
  /** `changed` gets the name, or null when any name may have changed. Returns what ends it. */
  subscribe(changed: (name: string | null) => void, keepsProcess: boolean): () => void;
  /** Resolves when everything that happened to the folder before this call was told. */
  caughtUp(): Promise<void>;
  close(): void;
}

/**
 * Watches while somebody subscribes, also a folder that is made, removed or replaced later. The system tells
 * at once; where it cannot, or stays silent although the folder was changed, the look every 400 ms tells.
 */
export function folderWatch(disk: Disk, folder: string): FolderWatch {
  const subscribers = new Set<(name: string | null) => void>();
  let keeping = 0;
  let watcher: FSWatcher | null = null;
  let watched: string | null = null;
  let modified = 0;
  let heard = false;
  let timer: NodeJS.Timeout | undefined;

  function tell(name: string | null): void {
    heard = true;
    for (const changed of subscribers) changed(name);
  }

  function look(): void {
    const info = disk.info(folder);
    const inode = info?.instance.split("-")[0] ?? null;
    if (inode !== watched) {
      watcher?.close();
      watcher = inode === null ? null : start();
      watched = inode;
      tell(null);
    } else if (!watcher || (!heard && info?.modified !== modified)) {
      tell(null);
    }
    heard = false;
    modified = info?.modified ?? 0;
  }

  function start(): FSWatcher | null {
    try {
      const started = watch(folder, { persistent: false }, (_, name) => tell(name));
      started.on("error", () => {
        started.close();
        if (watcher === started) watcher = null;
      });
      return started;
    } catch {
      return null;
    }
  }

  return {
    subscribe(changed, keepsProcess) {
      if (subscribers.size === 0) {
        look();
        timer = setInterval(look, LOOK_EVERY_MS);
      }
      subscribers.add(changed);
      if (keepsProcess) keeping += 1;
      if (keeping > 0) timer?.ref();
      else timer?.unref();
      return () => {
        if (!subscribers.delete(changed)) return;
        if (keepsProcess) keeping -= 1;
        if (keeping === 0) timer?.unref();
        if (subscribers.size === 0) this.close();
      };
    },
    async caughtUp() {
      // The kernel queues its notices as the change is made; the second turn of the loop has read them.
      await turn();
      await turn();
      const info = disk.info(folder);
      if (!watcher || (info?.instance.split("-")[0] ?? null) !== watched) look();
    },
    close() {
      clearInterval(timer);
      watcher?.close();
      watcher = null;
      watched = null;
      subscribers.clear();
      keeping = 0;
    },
  };
}
