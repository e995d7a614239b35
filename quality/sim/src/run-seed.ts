import { keepSupervisor, supervise } from "./actors/drivers.ts";
import { playScene, type Scene, sceneOf } from "./actors/scenes.ts";
import { makeTrouble } from "./actors/trouble.ts";
import type { Tally } from "./judge/events.ts";
import { judge } from "./judge/verdict.ts";
import type { Violation } from "./world/sim-machine.ts";
import { ROOT } from "./world/sim-machine.ts";
import { Died } from "./world/sim-process.ts";
import { World } from "./world/world.ts";

/** How long, in virtual ms, the healed loops may take until each has ended or waits; and how many steps. */
const REST_MS = 3_600_000;
const MOST_STEPS = 150_000;
/** Until then what dead writers did not publish is published. */
const SETTLE_MS = 1500;
const LOOK_EVERY_MS = 700;

const END = Buffer.from("\n}\n");

export interface Verdict {
  seed: number;
  violations: Violation[];
  /** Equal for equal runs. */
  digest: string;
  trace: readonly string[];
  steps: number;
  /** Commits that were acknowledged. */
  commits: number;
  /** What happened in it. */
  tally: Tally;
}

/** One run of everything that the seed decides, from the first loop to the judgement. */
export async function runSeed(seed: number): Promise<Verdict> {
  const world = new World(seed);
  try {
    await live(world, sceneOf(seed));
  } catch (error) {
    world.violate(3, `the simulation ended with ${error instanceof Error ? error.stack : error}`);
  }
  const { ledger, trace, scheduler, violations } = world;
  return {
    seed,
    violations,
    digest: trace.digest(),
    trace: trace.lines,
    steps: scheduler.steps,
    commits: ledger.acknowledged.length,
    tally: world.tally,
  };
}

async function live(world: World, scene: Scene | null): Promise<void> {
  const { random, scheduler, watchers } = world;
  if (random.chance(0.2)) watchers.lost = random.pick([0.1, 0.5, 1]);
  const ids = ["one", "two", "three"].slice(0, Number(random.weighted({ 1: 6, 2: 3, 3: 1 })));
  const [first, ...more] = ids;
  if (first === undefined) return;
  await inWorld(world, create(world, ids));
  for (let n = 0; n < random.int(1, 2); n++) keepSupervisor(world, `supervisor${n}`);
  const lasts = random.pick([1500, 5000, 15_000]);
  makeTrouble(world, [first, ...more], lasts);
  read(world, ids);
  const end = scheduler.now + lasts;
  const isPlayed = playScene(world, scene, first);
  await scheduler.runUntil(
    () => (scheduler.now >= end && isPlayed()) || world.scheduler.steps > MOST_STEPS,
  );
  await heal(world, ids);
  for (const id of ids) await inWorld(world, judge(world, id));
}

async function create(world: World, ids: readonly string[]): Promise<void> {
  const { random } = world;
  const { service, store, process } = world.spawn("creator");
  for (const id of ids) {
    const max_iterations = random.chance(0.5) ? random.int(1, 3) : 8;
    const turns = random.chance(0.5) ? random.int(1, 5) : 24;
    world.bounds.set(id, { iterations: max_iterations, turns });
    await service.create({
      id,
      description: "Fix the cart",
      max_iterations,
      limits: { max_turns: turns, turn_timeout_ms: random.pick([3000, 60_000]) },
      settings: {
        mode: random.chance(0.15) ? "interactive" : "auto",
        expect: "unchanged",
        flaky_reruns: random.int(0, 1),
        session: random.chance(0.2) ? "fresh" : "single",
      },
    });
    if (random.chance(0.9)) await service.send(id, { type: "start" });
  }
  await store.close();
  process.alive = false;
}

/** Other programs look at the published documents now and then. */
function read(world: World, ids: readonly string[]): void {
  for (const id of ids) world.readers.look(id);
  if (world.troubled) world.after(50 + world.random.next() * 1500, () => read(world, ids));
}

/** Nothing goes wrong any more, and a fresh supervisor takes over, until every loop has ended or waits. */
async function heal(world: World, ids: readonly string[]): Promise<void> {
  const { scheduler, processes } = world;
  world.troubled = false;
  world.watchers.lost = 0;
  world.triggers.clear();
  world.trace.note("healed");
  for (const process of processes) {
    process.callsToLive = null;
    process.faults = { changing: 0, reading: 0 };
    world.wake(process);
    if (process.alive) world.terminate(process);
  }
  const last = world.spawn("supervisor-last");
  let ended = false;
  void supervise(world, last).then(() => {
    ended = true;
  });
  const until = scheduler.now + REST_MS;
  let nextLook = scheduler.now + SETTLE_MS;
  await scheduler.runUntil(() => {
    if (scheduler.now < nextLook) return false;
    nextLook = scheduler.now + LOOK_EVERY_MS;
    const over = scheduler.now > until || scheduler.steps > MOST_STEPS;
    return over || (ids.every((id) => isAtRest(world, id)) && isQuiet(world));
  });
  world.terminate(last.process);
  await scheduler.runUntil(() => ended || scheduler.steps > MOST_STEPS * 1.1);
}

function isQuiet(world: World): boolean {
  if (world.children.living().length > 0) return false;
  return world.processes.every(({ alive, name }) => !alive || name.startsWith("supervisor-last"));
}

/** As its published document says, at a glance: its own fields are those that begin behind two spaces. */
function isAtRest({ files }: World, id: string): boolean {
  const bytes = files.file(`${ROOT}/.workflow/.loop/${id}.json`)?.bytes;
  if (!bytes?.includes('\n  "status": "') || !bytes.subarray(-3).equals(END)) return false;
  return !bytes.includes('\n  "status": "running"') || bytes.includes('\n  "waiting": {');
}

/** Lets the world go on until this is done. */
async function inWorld(world: World, work: Promise<void>): Promise<void> {
  let over = false;
  let failure: unknown;
  work.then(
    () => {
      over = true;
    },
    (error: unknown) => {
      over = true;
      failure = error;
    },
  );
  await world.scheduler.runUntil(() => over);
  if (!over) throw new Error("nothing goes on any more");
  if (failure !== undefined && !(failure instanceof Died)) throw failure;
}
