import type { Disk, FileInfo } from "../disk/disk.ts";
import { nodeRuntime, type Runtime, type Timer } from "../machine.ts";

const FOLDER_LOOK_MS = 400;

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
export function folderWatch(
  disk: Disk,
  folder: string,
  machine: Runtime = nodeRuntime,
): FolderWatch {
  const subscribers = new Set<(name: string | null) => void>();
  let keeping = 0;
  let watcher: (() => void) | null = null;
  let watched: string | null = null;
  let modified = 0;
  let heard = false;
  let timer: Timer | undefined;

  function tell(name: string | null): void {
    heard = true;
    for (const changed of subscribers) changed(name);
  }

  function look(): void {
    const info = infoOrNull();
    const inode = info?.instance.split("-")[0] ?? null;
    if (inode !== watched) {
      watcher?.();
      watcher = inode === null ? null : start();
      watched = inode;
      tell(null);
    } else if (!watcher || (!heard && info?.modified !== modified)) {
      tell(null);
    }
    heard = false;
    modified = info?.modified ?? 0;
  }

  /** A folder that cannot be looked at now is one that may have changed. */
  function infoOrNull(): FileInfo | null {
    try {
      return disk.info(folder);
    } catch {
      return null;
    }
  }

  function start(): (() => void) | null {
    try {
      const end = machine.notices(folder, tell, () => {
        if (watcher === end) watcher = null;
      });
      return end;
    } catch {
      return null;
    }
  }

  return {
    subscribe(changed, keepsProcess) {
      if (subscribers.size === 0) {
        look();
        timer = machine.every(FOLDER_LOOK_MS, look);
      }
      subscribers.add(changed);
      if (keepsProcess) keeping += 1;
      timer?.keepProcess(keeping > 0);
      return () => {
        if (!subscribers.delete(changed)) return;
        if (keepsProcess) keeping -= 1;
        if (keeping === 0) timer?.keepProcess(false);
        if (subscribers.size === 0) this.close();
      };
    },
    async caughtUp() {
      // The kernel queues its notices as the change is made; the second turn of the loop has read them.
      await machine.turn();
      await machine.turn();
      const info = infoOrNull();
      if (!watcher || (info?.instance.split("-")[0] ?? null) !== watched) look();
    },
    close() {
      timer?.cancel();
      watcher?.();
      watcher = null;
      watched = null;
      subscribers.clear();
      keeping = 0;
    },
  };
}
