import type { SimProcess } from "../world/sim-process.ts";
import type { World } from "../world/world.ts";
import { requestUntilAcknowledged, runOnce } from "./drivers.ts";
import { writeForeign } from "./foreign.ts";
import { sendCommands } from "./operator.ts";

/** What may happen to the machine and its loops, and how often. */
const KINDS = {
  operate: 12,
  insist: 4,
  run: 2,
  foreign: 3,
  edit: 3,
  kill: 4,
  killAtCall: 4,
  suspend: 3,
  terminate: 2,
  faults: 3,
  jump: 1,
  power: 1.5,
};

/** Spreads so many troubles over the time. */
export function makeTrouble(
  world: World,
  ids: readonly [string, ...string[]],
  lasts: number,
): void {
  const { random } = world;
  const many = random.int(0, 14);
  for (let n = 0; n < many; n++) {
    const kind = random.weighted(KINDS);
    const id = random.pick(ids);
    world.after(random.next() * lasts, () => strike(world, kind, id));
  }
}

function strike(world: World, kind: keyof typeof KINDS, id: string): void {
  const { random } = world;
  const driver = randomDriver(world);
  const strikes: Record<typeof kind, () => void> = {
    operate() {
      const act = () => void sendCommands(world, id);
      if (random.chance(0.5)) act();
      else world.triggers.once("draft", act);
    },
    insist: () => void requestUntilAcknowledged(world, id, `insisted-${random.int(1, 1e9)}`),
    run: () => void runOnce(world, id),
    foreign() {
      if (random.chance(0.5)) writeForeign(world, id);
      else world.triggers.once("publish", () => writeForeign(world, id));
    },
    edit() {
      const [project, ...others] = world.projects.values();
      if (!project) return;
      const edited = random.pick([project, ...others]);
      const act = () => edited.edit("cart.js", random.chance(0.7));
      const when = random.pick(["now", "passed", "recorded"] as const);
      if (when === "now") act();
      else if (when === "recorded") world.triggers.once("recorded", act);
      else world.triggers.once("passed", () => world.after(random.next() * 20, act));
    },
    kill: () => driver && world.kill(driver),
    killAtCall() {
      if (driver) driver.callsToLive = random.int(0, 15);
    },
    suspend() {
      if (!driver) return;
      world.suspend(driver);
      world.after(world.ttl * (0.2 + random.next() * 3), () => world.wake(driver));
    },
    terminate: () => driver && world.terminate(driver),
    faults: () => faults(world, driver),
    jump: () => world.jump(random.int(-3_600_000, 7_200_000)),
    power: () => world.cutPower(),
  };
  strikes[kind]();
}

function faults(world: World, driver: SimProcess | undefined): void {
  if (!driver) return;
  const { random } = world;
  driver.faults = {
    changing: random.pick([0.02, 0.2, 1]),
    reading: random.pick([0, 0.01, 0.1]),
  };
  world.after(random.next() * 3000, () => {
    driver.faults = { changing: 0, reading: 0 };
  });
}

function randomDriver({ processes, random }: World): SimProcess | undefined {
  const drivers = processes.filter(({ alive, drives }) => alive && drives);
  return drivers[random.int(0, Math.max(0, drivers.length - 1))];
}
