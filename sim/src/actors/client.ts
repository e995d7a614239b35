import { isLoopError, type LoopEvent } from "../../../packages/core/src/index.ts";
import type { World } from "../world/world.ts";

const TRIES = 12;

/**
 * A client that must have its note recorded once: it asks again under the same name whenever it got no answer, also
 * after its own death.
 */
export async function insist(world: World, id: string, opId: string): Promise<void> {
  const { random } = world;
  const { process, store } = world.spawn("client");
  if (random.chance(0.4)) process.callsToLive = random.int(0, 10);
  if (random.chance(0.4)) process.faults = { changing: 0.1, reading: 0.02 };
  const again = () => {
    world.after(random.next() * 500, () => {
      if (world.troubled) void insist(world, id, opId);
    });
  };
  world.whenDead(process, again);
  for (let tries = 0; tries < TRIES && process.alive; tries++) {
    try {
      const { revision } = await store.read(id);
      const at = new Date(world.wall()).toISOString();
      const event: LoopEvent = { type: "loop.edited", at, changes: { notes: opId } };
      await store.append(id, revision, [event], { actor: "client", opId });
      break;
    } catch (error) {
      if (!process.alive) return;
      if (!isLoopError(error)) throw error;
      await world.scheduler.pass(process, 5 + random.next() * 50);
    }
  }
  await store.close();
  process.alive = false;
}
