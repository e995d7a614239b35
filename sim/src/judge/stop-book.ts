import type { LoopEvent, StoredLoop } from "../../../packages/core/src/index.ts";
import type { Child } from "../world/children.ts";
import type { World } from "../world/world.ts";
import type { Ledger } from "./ledger.ts";

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
  readonly #world: World;
  readonly #ledger: Ledger;
  /** Since when a loop must not run. */
  readonly #stopped = new Map<string, number>();
  /** The newest revision behind which it was to run again. */
  readonly #started = new Map<string, number>();
  /** Loops whose status another program wrote: nobody was told anything. */
  readonly #unsure = new Set<string>();

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
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
    this.#ledger.violate(
      2,
      `${scope.loop}: a ${kind} of ${owner.name} runs ${ms} ms after it was told to stop`,
    );
    return 0;
  }
}
