import type { LoopEvent, LoopState, StoredLoop } from "@ccw-loop/core";
import type { Child } from "../world/children.ts";
import type { SimMachine } from "../world/sim-machine.ts";
import type { SimProcess } from "../world/sim-process.ts";

const STARTS = new Set(["loop.started", "loop.resumed", "loop.rewound", "loop.recovered"]);
/**
 * How long a stop may take to reach what runs, in ms. Mostly a notice tells at once. When who stopped died before it
 * published, the store looks by itself after 400; when another program writes the document just then, 250 more.
 */
const TOLD = 700;
/** The same where the system loses notices. */
const LOOKED = 1500;
/** The same for an owner whose disk failed meanwhile: it looks again a few times before it gives up. */
const PATIENCE = 6000;

/** Stop means stop: from the moment an operator was told so, nothing of the loop begins, and what runs ends. */
export class StopBook {
  readonly #world: SimMachine;
  /** Since when a loop must not run. */
  readonly #stopped = new Map<string, number>();
  /** The newest revision behind which it was to run again. */
  readonly #started = new Map<string, number>();
  /** Loops whose status another program wrote: nobody was told anything. */
  readonly #unsure = new Set<string>();

  constructor(world: SimMachine) {
    this.#world = world;
  }

  unsure(id: string): void {
    this.#unsure.add(id);
    this.#stopped.delete(id);
  }

  /** Somebody wants to add these events behind a revision. */
  asked(id: string, revision: number, events: readonly LoopEvent[]): void {
    if (!events.some(({ type }) => STARTS.has(type))) return;
    this.#stopped.delete(id);
    this.#started.set(id, Math.max(this.#started.get(id) ?? 0, revision));
  }

  acknowledged({ state, revision }: StoredLoop, events: readonly LoopEvent[]): void {
    const id = state.loop_id;
    if (this.#unsure.has(id) || state.status === "running" || state.status === "created") return;
    // It was started again before the answer came.
    if ((this.#started.get(id) ?? 0) >= revision) return;
    if (!events.some(({ type }) => /^loop\.(paused|stopped|exited)$/.test(type))) return;
    if (this.#world.children.living(id).length > 0) this.#world.count("stop while something works");
    const since = this.#world.scheduler.now;
    this.#stopped.set(id, since);
    this.#lookAt(id, since, since + this.#bound());
  }

  began(child: Child): void {
    const since = this.#stopped.get(child.scope.loop);
    if (since === undefined) return;
    this.#judge(child, since);
  }

  #bound(): number {
    return this.#world.watchers.lost > 0 ? LOOKED : TOLD;
  }

  #lookAt(id: string, since: number, at: number): void {
    this.#world.after(at - this.#world.scheduler.now, () => {
      if (this.#stopped.get(id) !== since) return;
      const later = this.#world.children.living(id).map((child) => this.#judge(child, since));
      const next = Math.max(...later, 0);
      if (next > 0) this.#lookAt(id, since, next);
    });
  }

  /** When to look again at a child that is excused for now; 0 when nothing is to be said. */
  #judge({ kind, owner, scope }: Child, since: number): number {
    const { now } = this.#world.scheduler;
    if (!owner.runs) return owner.alive ? now + 1000 : 0;
    const until = Math.max(
      since + this.#bound(),
      owner.wokenAt + this.#bound(),
      owner.failedAt + PATIENCE,
    );
    if (now <= until) return until + 1;
    const ms = Math.round(now - since);
    this.#world.violate(
      2,
      `${scope.loop}: a ${kind} of ${owner.name} runs ${ms} ms after it was told to stop`,
    );
    return 0;
  }
}

/** Done means proven: a loop completes only for files that the tests passed on, and that lie there. */
export class ProofBook {
  readonly #world: SimMachine;
  /** From when on the files of a COMPLETE may be looked at. */
  readonly #looked = new Map<string, number>();
  /** When the newest run of tests was recorded. */
  readonly #tested = new Map<string, number>();

  constructor(world: SimMachine) {
    this.#world = world;
  }

  asked(id: string, events: readonly LoopEvent[], process: SimProcess): void {
    const begins = events.some((one) => one.type === "action.started" && one.action === "COMPLETE");
    if (begins) this.#looked.set(id, process.measuredAt);
  }

  acknowledged({ state }: StoredLoop, events: readonly LoopEvent[], process: SimProcess): void {
    const tested = (one: LoopEvent) => one.type === "action.completed" && one.action === "VALIDATE";
    if (events.some(tested)) {
      this.#tested.set(state.loop_id, this.#world.scheduler.now);
      this.#world.triggers.fire("recorded", { process, loop: state.loop_id });
    }
    if (!events.some(({ type }) => type === "loop.completed")) return;
    const why = this.#objection(state);
    if (why) this.#world.violate(1, `${state.loop_id}: ${process.name} completed it ${why}`);
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
