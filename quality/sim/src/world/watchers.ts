import type { Random } from "@ccw-loop/testkit";
import type { FolderNode, SimFiles } from "../disk/sim-files.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";

interface Watcher {
  process: SimProcess;
  folder: FolderNode;
  tell: (name: string | null) => void;
}

/** Notices of changed names, a little later than the change; some systems lose some. */
export class Watchers {
  /** The share of notices that never come. */
  lost = 0;
  readonly #watchers = new Set<Watcher>();
  readonly #files: SimFiles;
  readonly #scheduler: Scheduler;
  readonly #random: Random;

  constructor(files: SimFiles, scheduler: Scheduler, random: Random) {
    this.#files = files;
    this.#scheduler = scheduler;
    this.#random = random;
    files.onName = (folder, name) => this.changed(folder, name);
  }

  watch(process: SimProcess, path: string, tell: (name: string | null) => void): () => void {
    const folder = this.#files.find(path);
    if (folder?.kind !== "folder") throw new Error(`${path} is no folder`);
    const watcher = { process, folder, tell };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  changed(folder: FolderNode, name: string): void {
    for (const watcher of this.#watchers) {
      if (watcher.folder !== folder || !watcher.process.alive) continue;
      if (this.#random.chance(this.lost)) continue;
      this.#scheduler.post(watcher.process, this.#random.next() * 8, () => {
        if (this.#watchers.has(watcher)) watcher.tell(name);
      });
    }
  }
}
