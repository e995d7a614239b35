import { LoopError, type TreeHolder, type Workspace } from "../../../packages/core/src/index.ts";
import type { Scheduler } from "../world/scheduler.ts";
import type { SimProcess } from "../world/sim-process.ts";

interface Held {
  holder: TreeHolder;
  process: SimProcess;
  until: number;
}

/** Who works on the files of one folder: a dead process has no claim, one that stands still until it expires. */
export class Claims {
  readonly #scheduler: Scheduler;
  #held: Held | null = null;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** As one process sees it. */
  of(process: SimProcess, pass: () => Promise<void>): Pick<Workspace, "claim" | "holder"> {
    return {
      claim: async (holder, ttlMs) => {
        await pass();
        const before = this.#held;
        const isOwn = before?.holder.loop === holder.loop;
        if (before && !isOwn && this.#counts(before)) {
          const { loop } = before.holder;
          throw new LoopError("workspace_busy", `Loop ${loop} works on these files.`, {
            details: { holder: before.holder },
          });
        }
        const mine: Held = { holder, process, until: this.#scheduler.now + ttlMs };
        this.#held = mine;
        const isMine = () => this.#held === mine;
        return {
          takenFrom: before && !isOwn && before.process.alive ? before.holder : null,
          renew: async () => {
            await pass();
            if (!isMine()) throw new LoopError("fenced", "Another loop claimed these files.");
            mine.until = this.#scheduler.now + ttlMs;
          },
          release: async () => {
            await pass();
            if (isMine()) this.#held = null;
          },
          giveBack: async () => {
            await pass();
            if (isMine()) this.#held = before;
          },
        };
      },
      holder: async () => {
        await pass();
        return this.#held && this.#counts(this.#held) ? this.#held.holder : null;
      },
    };
  }

  #counts({ process, until }: Held): boolean {
    return process.alive && until > this.#scheduler.now;
  }
}
