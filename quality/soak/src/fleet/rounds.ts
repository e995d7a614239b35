import { setTimeout as delay } from "node:timers/promises";
import { type Random, seededRandom } from "@ccw-loop/testkit";
import { percentile } from "../../../support/figures.ts";
import { unmetNeeds } from "../../../support/runs.ts";
import { type Fleet, openFleet } from "./fleet.ts";
import { Judge, type RunningLoop } from "./judge.ts";
import { TROUBLE_NAMES, TROUBLES, type TroubleName } from "./troubles.ts";
import { Worker } from "./worker.ts";

/** How a worker is taken away from its loops; it counts as a kill. */
const WAYS = ["worker killed", "worker suspended", "worker killed", "machine ended"] as const;
type Way = (typeof WAYS)[number];

const MACHINES = 3;
const LOOPS = 4;
/** Whoever is left can take over everything. */
const CONCURRENCY = LOOPS;
/** Longer than anything has to take: then something hangs. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 50;
/** Until an agent of four loops begins to work. */
const WORKS_WITHIN_MS = 10_000;

/** What a run came to. */
export interface Result {
  kills: number;
  /** Milliseconds from a kill until another process had the loop, while nothing else was wrong. */
  takeovers: number[];
  /** The same while something else was wrong. */
  troubled: number[];
  happened: Record<TroubleName | Way, number>;
  /** Owners that woke when their lease was another's. */
  refused: number;
  turns: number;
  /** Of them, cut off while the agent worked. */
  interrupted: number;
  proven: number;
  acknowledged: number;
  reads: number;
  lost: string[];
  twice: string[];
  unreadable: string[];
  broken: string[];
  missing: string[];
}

export interface FleetOptions {
  kills: number;
  seed: number;
  leaseMs: number;
  onProgress: (soFar: Result) => void;
}

/** Null where this machine does not permit namespaces. */
export async function fleetSoak(options: FleetOptions): Promise<Result | null> {
  await using fleet = await openFleet(MACHINES);
  if (!fleet) return null;
  await using judge = new Judge(fleet);
  const rounds = new Rounds(fleet, judge, options);
  try {
    return await rounds.run();
  } finally {
    rounds.end();
  }
}

/** A loop that has to be taken over. */
interface Orphan {
  /** When it was lost, on the clock of `performance.now()`. */
  since: number;
  /** Nothing else was wrong. */
  isQuiet: boolean;
  /** That of its lost owner; unknown where it was never seen. */
  epoch: number | undefined;
}

class Rounds {
  readonly #fleet: Fleet;
  readonly #judge: Judge;
  readonly #options: FleetOptions;
  readonly #random: Random;
  /** One for each machine. */
  readonly #workers: Worker[] = [];
  readonly #started: string[] = [];
  readonly #orphans = new Map<string, Orphan>();
  #running: ReadonlyMap<string, RunningLoop> = new Map();
  readonly #result: Result = {
    ...{ kills: 0, takeovers: [], troubled: [], refused: 0, turns: 0, interrupted: 0, proven: 0 },
    happened: Object.fromEntries(
      [...WAYS, ...TROUBLE_NAMES].map((name) => [name, 0]),
    ) as Result["happened"],
    ...{ acknowledged: 0, reads: 0, lost: [], twice: [], unreadable: [], broken: [], missing: [] },
  };

  constructor(fleet: Fleet, judge: Judge, options: FleetOptions) {
    this.#fleet = fleet;
    this.#judge = judge;
    this.#options = options;
    this.#random = seededRandom(options.seed);
  }

  async run(): Promise<Result> {
    const { kills, onProgress } = this.#options;
    await Promise.all(this.#fleet.machines.map((_, n) => this.#startWorker(n)));
    while (this.#result.kills < kills) {
      await this.#round();
      this.#count();
      onProgress(this.#result);
    }
    await this.#until("every loop has ended", () => this.#running.size === 0);
    for (const worker of this.#workers) worker.signal("SIGTERM");
    await this.#judge.judge(this.#fleet, this.#started);
    this.#count();
    this.#result.missing = missingIn(this.#result);
    return this.#result;
  }

  /** Ends every worker, a suspended one too. */
  end(): void {
    for (const worker of this.#workers) worker.signal("SIGKILL");
  }

  async #startWorker(n: number): Promise<void> {
    const { machine, address } = this.#fleet.machines[n] ?? {};
    if (!machine) return;
    const { leaseMs } = this.#options;
    const flags = ["--events", "--lease", `${leaseMs / 1000}s`, "--concurrency", `${CONCURRENCY}`];
    const worker = new Worker({
      machine,
      line: [process.execPath, this.#fleet.program, "worker", ...flags],
      env: { CCW_LOOP_STORE: address },
      onEvent: (told) => this.#judge.tell(told),
    });
    this.#workers[n] = worker;
    await worker.start();
    void worker.ended().then((complaint) => {
      if (complaint)
        this.#result.broken.push(`A worker of ${machine.name} ended by itself: ${complaint}`);
    });
  }

  async #round(): Promise<void> {
    const { kills, happened } = this.#result;
    const way = WAYS[kills % WAYS.length] ?? "worker killed";
    // Something is wrong in every second round, and in all of them each way has its turn with each trouble.
    const number = Math.floor(kills / 2) + Math.floor(kills / (2 * TROUBLE_NAMES.length));
    const name = kills % 2 === 0 ? undefined : TROUBLE_NAMES[number % TROUBLE_NAMES.length];
    await this.#startLoops();
    await this.#until("a worker has a loop", () =>
      this.#workers.some(({ holds }) => holds.size > 0),
    );
    const trouble = name && TROUBLES[name](this.#fleet, this.#random, this.#options.leaseMs);
    if (name) happened[name] += 1;
    await delay(this.#random.int(0, name ? 300 : 1500));
    const victim = await this.#victim();
    await this.#takeAway(victim, way, name === undefined);
    happened[way] += 1;
    this.#result.kills += 1;
    await trouble;
    await this.#until("every loop of a lost worker was taken over", () => this.#orphans.size === 0);
  }

  /** Of three, two are workers whose agent has just begun to work. */
  async #victim(): Promise<Worker> {
    const busy = this.#workers.filter(({ holds }) => holds.size > 0);
    const any = this.#random.pick((busy.length > 0 ? busy : this.#workers) as [Worker]);
    if (this.#random.int(0, 2) === 0) return any;
    const atWork = this.#workers.map((worker) => worker.nextWork.then(() => worker));
    const first = await Promise.race([...atWork, delay(WORKS_WITHIN_MS, any)]);
    await delay(this.#random.int(0, 500));
    return first;
  }

  async #takeAway(victim: Worker, way: Way, isQuiet: boolean): Promise<void> {
    const n = this.#workers.indexOf(victim);
    const since = performance.now();
    if (way === "worker suspended") victim.signal("SIGSTOP");
    else if (way === "worker killed") victim.signal("SIGKILL");
    else {
      victim.isKilled = true;
      await victim.machine.crash();
    }
    const held = [...victim.holds];
    await this.#look();
    for (const loop of held) {
      const { epoch, owner } = this.#running.get(loop) ?? {};
      // Of a worker that was cut off somebody else may have it already.
      if (owner != null && !owner.includes(victim.machine.name)) continue;
      this.#orphans.set(loop, { since, isQuiet, epoch });
    }
    if (way === "worker suspended") {
      await this.#until(
        "a suspended worker's loops were taken over",
        () => this.#orphans.size === 0,
      );
      await delay(this.#random.int(0, 500));
      victim.signal("SIGCONT");
      const stillRuns = () => held.filter((loop) => victim.holds.has(loop));
      await this.#until("a worker that woke gave up its loops", () => stillRuns().length === 0);
      this.#result.refused += held.filter((loop) => victim.lost.has(loop)).length > 0 ? 1 : 0;
      return;
    }
    if (way === "machine ended") await victim.machine.boot();
    // As a service manager does it: at once, or a while later.
    await delay(this.#random.chance(0.5) ? 0 : this.#random.int(0, 3000));
    await this.#startWorker(n);
  }

  async #startLoops(): Promise<void> {
    await this.#look();
    for (let missing = LOOPS - this.#running.size; missing > 0; missing -= 1) {
      const id = `loop-${this.#started.length}`;
      await this.#fleet.start(id);
      this.#started.push(id);
    }
    await this.#look();
  }

  /** What has ended needs nobody to take it over. */
  async #look(): Promise<void> {
    const running = await this.#judge.look();
    if (!running) return;
    this.#running = running;
    const { takeovers, troubled } = this.#result;
    for (const [loop, { since, isQuiet, epoch }] of this.#orphans) {
      const now = running.get(loop);
      if (now && (now.epoch <= (epoch ?? 0) || now.owner === null)) continue;
      this.#orphans.delete(loop);
      if (now) (isQuiet ? takeovers : troubled).push(performance.now() - since);
    }
  }

  /** Throws when it does not come true in a time that is longer than everything has to take. */
  async #until(what: string, isTrue: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!isTrue()) {
      if (performance.now() > end) {
        const stands = {
          running: Object.fromEntries(this.#running),
          orphans: Object.fromEntries(this.#orphans),
          holds: this.#workers.map(({ machine, holds }) => [machine.name, ...holds]),
        };
        throw new Error(`Within ${PATIENCE_MS} ms not: ${what}. ${JSON.stringify(stands)}`);
      }
      await delay(LOOK_MS);
      await this.#look();
    }
  }

  #count(): void {
    const { begun, ended, twice } = this.#fleet.notes();
    const { lost, unreadable, acknowledged, reads } = this.#judge;
    Object.assign(this.#result, {
      ...{ turns: begun, interrupted: begun - ended, twice, acknowledged, reads },
      ...{ proven: this.#started.length - this.#running.size },
      ...{ lost: [...lost], unreadable: [...unreadable] },
    });
  }
}

/** Why a run of so many kills does not count, a sentence for each event that happened too seldom. */
function missingIn(result: Result): string[] {
  const { kills, happened, takeovers, refused, interrupted, proven, acknowledged, reads } = result;
  const needs = [
    { what: "takeover while nothing else was wrong", count: takeovers.length, onceIn: 4 },
    { what: "owner that woke when its lease was another's", count: refused, onceIn: 6 },
    { what: "agent cut off in the middle of its work", count: interrupted, onceIn: 6 },
    { what: "loop proven", count: proven, onceIn: 6 },
    { what: "event told by a worker", count: acknowledged, onceIn: 1 },
    { what: "loop read by another program", count: reads, onceIn: 1 },
    ...Object.entries(happened).map(([what, count]) => ({ what, count, onceIn: 14 })),
  ];
  return unmetNeeds(needs, kills, "kills");
}

/** What else was measured. */
export function fleetFigures(result: Result): string {
  const { turns, interrupted, proven, acknowledged, troubled, refused, happened } = result;
  const times = Object.entries(happened).map(([what, count]) => `${what}: ${count}`);
  return `Loops proven: ${proven}. Agent turns: ${turns}, cut off in the middle: ${interrupted}. Events told: ${acknowledged}. Owners that woke too late: ${refused}. Takeovers while something else was wrong: ${troubled.length}, p99 ${seconds(troubled, 0.99)} s. ${times.join(", ")}.`;
}

/** The last line of a run. */
export function fleetLine({ kills, lost, twice, unreadable, takeovers }: Result): string {
  const [p50, p99] = [0.5, 0.99].map((share) => seconds(takeovers, share));
  return `kills: ${kills}, lost: ${lost.length}, twice: ${twice.length}, unreadable: ${unreadable.length}, takeover p50: ${p50}, p99: ${p99}`;
}

function seconds(times: readonly number[], share: number): string {
  return times.length === 0 ? "-" : (percentile(times, share) / 1000).toFixed(1);
}
