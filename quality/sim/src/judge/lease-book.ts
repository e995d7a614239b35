import type { Lease } from "@ccw-loop/core";
import type { Child } from "../world/children.ts";
import type { SimMachine } from "../world/sim-machine.ts";
import type { CommitUnderWay, SimProcess } from "../world/sim-process.ts";

interface Held {
  process: SimProcess;
  epoch: number;
  /** Until this moment nobody else may have claimed it. */
  until: number;
}

/** One owner at a time: leases, the commits they allow, and the children that work under them. */
export class LeaseBook {
  readonly #world: SimMachine;
  readonly #held = new Map<string, Held>();
  readonly #epochs = new Map<string, number>();
  readonly #lost = new Set<SimProcess>();

  constructor(world: SimMachine) {
    this.#world = world;
  }

  powerCut(): void {
    this.#held.clear();
  }

  /** The newest epoch that was given; below 0 before the first. */
  newest(id: string): number {
    return this.#epochs.get(id) ?? -1;
  }

  /**
   * A revision got its number; it was prepared in the folder of `epoch`, if in any. The store also commits of its own
   * accord, what was edited in a public file: that is none of the commits that were asked for.
   */
  linked(process: SimProcess, loop: string, epoch: number | undefined): void {
    const ofLoop = [...process.commits].filter((commit) => commit.loop === loop);
    const ofEpoch = ofLoop.filter((commit) => commit.epoch === epoch);
    const others = ofLoop.filter(({ hasNumber }) => !hasNumber);
    for (const commit of ofEpoch.length > 0 ? ofEpoch : others) {
      commit.hasNumber = true;
      commit.newestEpoch = this.newest(loop);
    }
  }

  /** A commit was accepted: no newer epoch had begun when it was asked for, or when it got its number. */
  accepted({ loop, epoch, newestEpoch }: CommitUnderWay): void {
    if (epoch === undefined || epoch >= newestEpoch) return;
    this.#world.violate(
      3,
      `${loop}: a commit of epoch ${epoch} was accepted after ${newestEpoch} began`,
    );
  }

  async claim(
    process: SimProcess,
    id: string,
    claim: () => Promise<Lease>,
    ttlMs: number,
  ): Promise<Lease> {
    const before = this.#held.get(id);
    const until = this.#world.scheduler.now + ttlMs;
    const lease = await claim();
    const held = this.#held.get(id);
    if (held && held === before && held.process.alive && this.#world.scheduler.now < held.until) {
      const text = `${process.name} claimed what ${held.process.name} holds for ${held.until - this.#world.scheduler.now} ms more`;
      this.#world.violate(3, `${id}: ${text}`);
    }
    const newest = this.newest(id);
    if (lease.epoch <= newest) {
      this.#world.violate(3, `${id}: epoch ${lease.epoch} was given after ${newest}`);
    }
    this.#epochs.set(id, Math.max(newest, lease.epoch));
    this.#held.set(id, { process, epoch: lease.epoch, until });
    this.#world.trace.note(`${process.name} holds ${id} epoch ${lease.epoch}`);
    if (held && held.process !== process) this.#lost.add(held.process);
    this.#world.triggers.fire("claim", { process, loop: id });
    return lease;
  }

  /** Whether a lease of it was given to somebody else before it gave it back. */
  hasLost(process: SimProcess): boolean {
    return this.#lost.has(process);
  }

  ownerOf(id: string): SimProcess | undefined {
    return this.#held.get(id)?.process;
  }

  /** Whether somebody holds a lease. */
  get isAnyHeld(): boolean {
    return [...this.#held.values()].some(({ process }) => process.alive);
  }

  async renew(process: SimProcess, lease: Lease, renew: () => Promise<void>): Promise<void> {
    const newest = this.newest(lease.id);
    const until = this.#world.scheduler.now + lease.ttlMs;
    await renew();
    if (lease.epoch < newest) {
      this.#world.violate(
        3,
        `${lease.id}: ${process.name} renewed epoch ${lease.epoch} after ${newest} began`,
      );
    }
    const held = this.#held.get(lease.id);
    if (held?.epoch === lease.epoch) held.until = until;
  }

  releasing(lease: Lease): void {
    if (this.#held.get(lease.id)?.epoch === lease.epoch) this.#held.delete(lease.id);
  }

  /** Nothing of a loop runs while something of it, or something in its folder, runs, whoever began that. */
  began({ scope, kind, owner, cwd }: Child): void {
    const other = this.#world.children
      .living()
      .find((child) => child.scope.loop === scope.loop || child.cwd === cwd);
    this.#world.trace.note(`${owner.name} begins ${kind} of ${scope.loop} epoch ${scope.epoch}`);
    if (!other) return;
    this.#world.violate(
      3,
      `${scope.loop}: a ${kind} of ${owner.name} (epoch ${scope.epoch}) began while a ${other.kind} of ${other.owner.name} (${other.scope.loop}, epoch ${other.scope.epoch}) runs in ${other.cwd === cwd ? "the same folder" : "another folder"}`,
    );
  }
}
