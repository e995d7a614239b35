import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newTask } from "../workers/new-task.ts";
import { isDiskFull } from "./commands.ts";
import type { SmallDisk } from "./small-disk.ts";

/** A loop is driven into a full disk at its nth commit, for each of these numbers, and goes on to its end when there is space again. */
export async function drivenIntoAFullDisk(
  disk: SmallDisk,
  commits: readonly number[],
): Promise<void> {
  for (const at of commits) {
    const id = `driven-${at}`;
    const { service, filler, tried, note } = disk;
    await service.create({
      id,
      description: "A loop that is driven into a full disk",
      settings: { mode: "auto", agent: `scripted:${scriptOf(disk)}`, waive_tests: "The soak." },
    });
    await service.send(id, { type: "add_task", task: newTask("task") });
    let left = at;
    const heard = disk.onCommit(() => {
      left -= 1;
      if (left === 0) filler.fill(0);
    });
    try {
      await service.run(id);
      tried.done += 1;
    } catch (error) {
      tried.refused["driven loop"] += 1;
      if (!isDiskFull(error)) note(`Run into a full disk at commit ${at}: ${String(error)}`);
    }
    heard();
    filler.empty();
    const { status } = await service.get(id);
    if (status === "completed") continue;
    const end = await service.run(id).catch((error: unknown) => ({ status: String(error) }));
    if (end.status !== "completed") {
      note(`Cut off at commit ${at}, it did not go on to its end with space again: ${end.status}`);
    }
  }
}

export function scriptOf({ root }: Pick<SmallDisk, "root">): string {
  const path = join(root, "agent.json");
  const turn = {
    action: "DEVELOP",
    repeat: true,
    steps: [{ run: "true" }],
    answer: { message: "Done." },
  };
  writeFileSync(path, JSON.stringify({ turns: [turn] }));
  return path;
}
