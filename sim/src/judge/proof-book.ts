import type { LoopEvent, LoopState, StoredLoop } from "../../../packages/core/src/index.ts";
import type { SimProcess } from "../world/sim-process.ts";
import type { World } from "../world/world.ts";
import type { Ledger } from "./ledger.ts";

/** Done means proven: a loop completes only for files that the tests passed on, and that lie there. */
export class ProofBook {
  readonly #world: World;
  readonly #ledger: Ledger;
  /** From when on the files of a COMPLETE may be looked at. */
  readonly #looked = new Map<string, number>();
  /** When the newest run of tests was recorded. */
  readonly #tested = new Map<string, number>();

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  asked(id: string, events: readonly LoopEvent[], process: SimProcess): void {
    const begins = events.some((one) => one.type === "action.started" && one.action === "COMPLETE");
    if (begins) this.#looked.set(id, process.measuredAt);
  }

  acknowledged({ state }: StoredLoop, events: readonly LoopEvent[], process: SimProcess): void {
    const tested = (one: LoopEvent) => one.type === "action.completed" && one.action === "VALIDATE";
    if (events.some(tested)) {
      this.#tested.set(state.loop_id, this.#world.scheduler.now);
      this.#world.moments.come("recorded", { process, loop: state.loop_id });
    }
    if (!events.some(({ type }) => type === "loop.completed")) return;
    const why = this.#objection(state);
    if (why) this.#ledger.violate(1, `${state.loop_id}: ${process.name} completed it ${why}`);
  }

  #objection({ loop_id, receipts, workspace }: LoopState): string | null {
    const receipt = receipts?.at(-1);
    const project = this.#world.projectAt(workspace?.path);
    if (receipt?.waived !== undefined) return null;
    if (!receipt?.passed) return "without a passing receipt";
    const tree = receipt.tree_after ?? "";
    if (!project.proven.has(tree)) return "for files whose tests never passed";
    const since = this.#looked.get(loop_id) ?? 0;
    if (since < (this.#tested.get(loop_id) ?? 0))
      return "without a look at its files behind the tests";
    return project.wasThere(tree, since) ? null : "although the files are others than those tested";
  }
}
