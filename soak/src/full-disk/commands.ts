import { isLoopError } from "../../../packages/core/src/index.ts";
import { newTask } from "../workers/new-task.ts";
import type { SmallDisk } from "./small-disk.ts";

const OWNER = "soak";

/** Every command of an operator and every step of a lease, tried on a disk with nothing to a few pages left. */
export async function commandsOnAFullDisk(
  disk: SmallDisk,
  pagesLeft: readonly number[],
): Promise<void> {
  const { service, store } = disk;
  for (const free of pagesLeft) {
    const id = `loop-${free}`;
    const command = (type: "start" | "pause" | "resume" | "stop") => () =>
      service.send(id, { type });
    await step(disk, free, `create with ${free} pages`, () =>
      service.create({ id, description: "A loop on a small disk" }),
    );
    const steps: [string, () => Promise<unknown>][] = [
      ["start", command("start")],
      ["add_task", () => service.send(id, { type: "add_task", task: newTask("task") })],
      ["claim", async () => store.release(await store.claim(id, OWNER, 1000))],
      [
        "edit",
        () => service.send(id, { type: "edit", changes: { notes: `${free} `.repeat(3000) } }),
      ],
      ["pause", command("pause")],
      ["resume", command("resume")],
      ["stop", command("stop")],
    ];
    for (const [name, attempt] of steps)
      await step(disk, free, `${name} with ${free} pages`, attempt);
  }
}

/** It is done or clearly refused; when there is space again it is done. */
async function step(
  { filler, note, tried }: SmallDisk,
  free: number,
  name: string,
  attempt: () => Promise<unknown>,
): Promise<void> {
  filler.fill(free);
  let done = false;
  try {
    await attempt();
    done = true;
    tried.done += 1;
  } catch (error) {
    tried.refused.commands += 1;
    if (!isDiskFull(error)) note(`${name}: ${String(error)}`);
  }
  filler.empty();
  if (!done)
    await attempt().catch((error: unknown) => note(`${name}, with space: ${String(error)}`));
}

/** Names the disk and the next step. */
export function isDiskFull(error: unknown): boolean {
  return (
    isLoopError(error, "store_unavailable") && /disk is full.*free some space/i.test(error.message)
  );
}
