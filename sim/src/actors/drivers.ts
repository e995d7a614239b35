import { isLoopError, LoopError } from "../../../packages/core/src/index.ts";
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
