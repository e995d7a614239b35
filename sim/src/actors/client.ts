import { isLoopError, type LoopEvent } from "../../../packages/core/src/index.ts";
import type { Running, World } from "../world/world.ts";

const TRIES = 12;

/**
 * A client that must have its note recorded once: it asks again under the same name whenever it got no answer, also
 * after its own death.
 */
export async function insist(world: World, id: string, opId: string): Promise<void> {
  const { random } = world;
  const client = world.spawn("client");
  const { process } = client;
  if (random.chance(0.4)) process.callsToLive = random.int(0, 10);
  if (random.chance(0.4)) process.faults = { changing: 0.1, reading: 0.02 };
  const again = () => {
    world.after(random.next() * 500, () => {
      if (world.troubled) void insist(world, id, opId);
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
