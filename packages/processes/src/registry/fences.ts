import { lstatSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { Epoch, LoopError, type ProcessScope } from "@ccw-loop/core";
import { discard, namesIn, replaceFile, textIn } from "./records.ts";

const EPOCH_SUFFIX = ".epoch";

/**
 * The epoch of each loop's latest owner. One of an earlier epoch that was suspended can start nothing any more when it
 * wakes, before it has looked at its lease. The latest claim decides, not the highest epoch: a loop that was deleted
 * and made anew counts from the beginning.
 */
export class Fences {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  set({ loop, epoch }: ProcessScope): void {
    if (epoch !== this.epochOf(loop))
      replaceFile(this.#folder, `${loop}${EPOCH_SUFFIX}`, `${epoch}\n`);
  }

  /** -1 where nothing is written that can be read: then nobody is taken for an earlier owner. */
  epochOf(loop: string): number {
    const text = textIn(join(this.#folder, `${loop}${EPOCH_SUFFIX}`)) ?? "";
    return /^\d+\n$/.test(text) ? (Epoch.safeParse(Number(text)).data ?? -1) : -1;
  }

  /** Throws `fenced` for a lease that is over. */
  check({ loop, epoch }: ProcessScope): void {
    if (this.epochOf(loop) <= epoch) return;
    throw new LoopError(
      "fenced",
      `Loop ${loop} was taken over by a newer owner, so nothing is started for it here any more.`,
      { details: { loop, epoch } },
    );
  }

  /** Takes away those from before the boot: no owner of that time is left. */
  tidy(): void {
    const boot = Date.now() - uptime() * 1000;
    for (const name of namesIn(this.#folder)) {
      if (!name.endsWith(EPOCH_SUFFIX)) continue;
      const file = join(this.#folder, name);
      const { mtimeMs } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
      if (mtimeMs !== undefined && mtimeMs < boot) discard(file);
    }
  }
}
