import {
  type AppendOptions,
  isLoopError,
  type Lease,
  type LoopEvent,
  type LoopStore,
  type StoredLoop,
} from "@ccw-loop/core";
import type { SimMachine } from "../world/sim-machine.ts";
import type { CommitUnderWay, SimProcess } from "../world/sim-process.ts";
import { ProofBook, StopBook } from "./books.ts";
import { LeaseBook } from "./lease-book.ts";

/** A commit that a living process was told to be safe. */
export interface Acknowledged {
  id: string;
  revision: number;
  events: readonly LoopEvent[];
  opId: string | undefined;
}

/** What the world was told, and what that obliges the product to. */
export class Ledger {
  readonly acknowledged: Acknowledged[] = [];
  readonly stops: StopBook;
  readonly leases: LeaseBook;
  readonly proofs: ProofBook;
  readonly #world: SimMachine;

  constructor(world: SimMachine) {
    this.#world = world;
    this.stops = new StopBook(world);
    this.leases = new LeaseBook(world);
    this.proofs = new ProofBook(world);
    world.children.onBegin = (child) => {
      this.stops.began(child);
      this.leases.began(child);
      world.triggers.fire("work", { process: child.owner, loop: child.scope.loop });
    };
  }

  powerCut(): void {
    this.leases.powerCut();
  }

  /** The store of one process, with every answer noted. */
  recorded(store: LoopStore, process: SimProcess): LoopStore {
    const acknowledge = (stored: StoredLoop, events: readonly LoopEvent[], opId?: string) => {
      const id = stored.state.loop_id;
      if (events.length > 0) {
        this.acknowledged.push({ id, revision: stored.revision, events, opId });
      }
      this.stops.acknowledged(stored, events);
      this.proofs.acknowledged(stored, events, process);
      const types = events.map(({ type }) => type).join(" ");
      this.#world.trace.note(`${process.name} told ${id} ${stored.revision} ${types}`);
      return stored;
    };
    return {
      ...store,
      create: async (state, options) => {
        const stored = await store.create(state, options);
        return acknowledge(stored, [], options.opId);
      },
      append: async (id, revision, events, options: AppendOptions) => {
        this.stops.asked(id, revision, events);
        this.proofs.asked(id, events, process);
        const { epoch } = options;
        const commit: CommitUnderWay = {
          loop: id,
          epoch,
          newestEpoch: this.leases.newest(id),
          hasNumber: false,
        };
        process.commits.add(commit);
        const stored = await store
          .append(id, revision, events, options)
          .catch((error: unknown) => {
            this.#refused(error, process);
            throw error;
          })
          .finally(() => process.commits.delete(commit));
        if (stored.revision <= revision) this.#world.count("repeated op id");
        this.leases.accepted(commit);
        return acknowledge(stored, events, options.opId);
      },
      claim: (id, owner, ttlMs) =>
        this.leases.claim(process, id, () => store.claim(id, owner, ttlMs), ttlMs),
      renew: (lease: Lease) => this.leases.renew(process, lease, () => store.renew(lease)),
      release: (lease: Lease) => {
        this.leases.releasing(lease);
        return store.release(lease);
      },
    };
  }

  #refused(error: unknown, process: SimProcess): void {
    if (isLoopError(error, "revision_conflict"))
      this.#world.count("commit refused for its revision");
    if (!isLoopError(error, "fenced")) return;
    process.isReliable = false;
    this.#world.count("commit refused as fenced");
  }
}
