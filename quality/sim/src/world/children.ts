import type { ProcessScope } from "@ccw-loop/core";
import type { Random } from "@ccw-loop/testkit";
import type { Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";

/** A process that works for a loop: an agent's turn, a test run, a probe. It lives on when its owner dies or stands still. */
export interface Child {
  kind: "turn" | "tests" | "probe";
  scope: ProcessScope;
  /** The folder in which it works. */
  cwd: string;
  owner: SimProcess;
  begun: number;
  alive: boolean;
  /** Aborts when somebody ends it from outside. */
  killed: AbortController;
}

export class Children {
  readonly all: Child[] = [];
  /** Told before it counts as living. */
  onBegin: (child: Child) => void = () => undefined;
  readonly #scheduler: Scheduler;
  readonly #random: Random;

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  begin(kind: Child["kind"], of: Pick<Child, "scope" | "cwd" | "owner">): Child {
    const child: Child = {
      kind,
      ...of,
      begun: this.#scheduler.now,
      alive: true,
      killed: new AbortController(),
    };
    this.onBegin(child);
    this.all.push(child);
    return child;
  }

  living(loop?: string): Child[] {
    return this.all.filter(
      ({ alive, scope }) => alive && (loop === undefined || scope.loop === loop),
    );
  }

  /** The living ones of one owner. */
  of(owner: SimProcess): Child[] {
    return this.living().filter((child) => child.owner === owner);
  }

  end(child: Child): void {
    child.alive = false;
  }

  kill(child: Child): void {
    if (!child.alive) return;
    child.alive = false;
    child.killed.abort();
  }

  /** Most notice that their owner is gone; the others live on until somebody ends them. */
  ownerDied(owner: SimProcess): void {
    for (const child of this.of(owner)) {
      if (this.#random.chance(0.5)) continue;
      this.#scheduler.post(null, this.#random.next() * 50, () => this.kill(child));
    }
  }

  /** `OrchestratorDeps.endSuperseded` of one process. */
  async endSuperseded(me: SimProcess, { loop, epoch }: ProcessScope): Promise<void> {
    await this.#scheduler.pass(me, this.#random.next() * 5);
    for (const child of this.living()) {
      const isEarlier = child.scope.loop === loop && child.scope.epoch < epoch;
      if (isEarlier || !child.owner.alive) this.kill(child);
    }
    await this.#scheduler.pass(me, this.#random.next() * 15);
  }
}
