import type { Workspace } from "../../../packages/core/src/index.ts";
import { memoryWorkspace, type Random } from "../../../packages/testkit/src/index.ts";
import type { Scheduler } from "../world/scheduler.ts";
import type { SimProcess } from "../world/sim-process.ts";

/** The files that agents work on. Its tests pass while no file has a bug. */
export class Project {
  readonly files = new Map([["cart.js", "bug 0"]]);
  /** Every tree there was, by the moment from which on. */
  readonly trees: { at: number; tree: string }[] = [];
  /** Trees that the tests were run on, and passed. */
  readonly proven = new Set<string>();
  readonly #kept: Workspace = memoryWorkspace(this.files);
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  #tree = "";
  #edits = 0;

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
    if (random.chance(0.4)) this.files.set("cart.js", "fine 0");
    this.#changed();
  }

  get tree(): string {
    return this.#tree;
  }

  get passes(): boolean {
    return ![...this.files.values()].some((text) => text.startsWith("bug"));
  }

  edit(path: string, good: boolean): void {
    this.#edits += 1;
    this.files.set(path, `${good ? "fine" : "bug"} ${this.#edits}`);
    this.#changed();
  }

  /** Whether the files were these at any moment since then. */
  wasThere(tree: string, since: number): boolean {
    const before = this.trees.findLastIndex(({ at }) => at <= since);
    return this.trees.slice(Math.max(0, before)).some((one) => one.tree === tree);
  }

  /** Every bug of somebody's is taken out. */
  repair(): void {
    for (const path of this.files.keys()) this.edit(path, true);
  }

  /** As one process sees it: nothing is answered at once. */
  workspace(process: SimProcess): Workspace {
    const pass = () => this.#scheduler.pass(process, this.#random.next() * 4);
    const kept = this.#kept;
    return {
      ...kept,
      tree: async () => {
        process.measuredAt = this.#scheduler.now;
        await pass();
        return kept.tree();
      },
      async changes(from, to) {
        await pass();
        return kept.changes(from, to);
      },
      async checkpoint(id, n, message) {
        await pass();
        return kept.checkpoint(id, n, message);
      },
    };
  }

  #changed(): void {
    this.#tree = "";
    void this.#kept.tree().then((tree) => {
      this.#tree = tree;
      this.trees.push({ at: this.#scheduler.now, tree });
    });
  }
}
