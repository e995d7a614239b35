import { isLoopError, LoopError, type LoopEvent } from "@ccw-loop/core";
import type { Running, World } from "../world/world.ts";

/** A supervisor; it is begun again some time after it died, as long as there is trouble. */
export function keepSupervisor(world: World, name: string): void {
  const again = () => {
    world.after(200 + world.random.next() * 4000, () => {
      if (world.troubled) keepSupervisor(world, name);
    });
  };
  const running = world.spawn(name);
  world.whenDead(running.process, again);
  void supervise(world, running).then(again);
}

export async function supervise(world: World, { process, service, store }: Running): Promise<void> {
  const heard = world.feeds.begin(process);
  await service.supervise({
    concurrency: world.random.int(1, 3),
    signal: process.terminated.signal,
    onEvent: heard,
  });
  await store.close().catch((error: unknown) => {
    if (!isLoopError(error)) throw error;
  });
  world.trace.note(`end ${process.name}`);
  process.alive = false;
}

/** `ccw-loop run` of one loop. */
export async function runOnce(world: World, id: string): Promise<void> {
  const { process, service, store } = world.spawn("run");
  const heard = world.feeds.begin(process);
  try {
    const waitForLimits = world.random.chance(0.5);
    const state = await service.run(id, {
      signal: process.terminated.signal,
      waitForLimits,
      onEvent: heard,
    });
    world.trace.note(`${process.name} ran ${id} until ${state.status}`);
  } catch (error) {
    if (process.alive && !(error instanceof LoopError)) throw error;
    world.trace.note(
      `${process.name} gives up ${id}: ${error instanceof LoopError ? error.code : "dead"}`,
    );
  }
  await store.close().catch(() => undefined);
  process.alive = false;
}

const TRIES = 12;

/**
 * A client that must have its note recorded once: it asks again under the same name whenever it got no answer, also
 * after its own death.
 */
export async function requestUntilAcknowledged(
  world: World,
  id: string,
  opId: string,
): Promise<void> {
  const { random } = world;
  const client = world.spawn("client");
  const { process } = client;
  if (random.chance(0.4)) process.callsToLive = random.int(0, 10);
  if (random.chance(0.4)) process.faults = { changing: 0.1, reading: 0.02 };
  const again = () => {
    world.after(random.next() * 500, () => {
      if (world.troubled) void requestUntilAcknowledged(world, id, opId);
    });
  };
  world.whenDead(process, again);
  await request(world, client, id, opId);
  if (process.alive) await leave(client);
}

/** Has a note recorded under a name, with several tries; true when that was acknowledged. */
export async function request(
  world: World,
  { process, store }: Running,
  id: string,
  opId: string,
): Promise<boolean> {
  let isDone = false;
  for (let tries = 0; tries < TRIES && process.alive && !isDone; tries++) {
    try {
      const { revision } = await store.read(id);
      const at = new Date(world.wall()).toISOString();
      const event: LoopEvent = { type: "loop.edited", at, changes: { notes: opId } };
      await store.append(id, revision, [event], { actor: "client", opId });
      isDone = true;
    } catch (error) {
      if (!process.alive) return false;
      if (!isLoopError(error)) throw error;
      await world.scheduler.pass(process, 5 + world.random.next() * 50);
    }
  }
  return isDone;
}

export async function leave({ process, store }: Running): Promise<void> {
  await store.close();
  process.alive = false;
}
