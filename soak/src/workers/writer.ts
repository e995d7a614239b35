import { setTimeout as delay } from "node:timers/promises";
import {
  type DevelopTask,
  isLoopError,
  type LoopCommand,
  type LoopState,
  tasksOf,
} from "../../../packages/core/src/index.ts";
import { type Random, random } from "../random.ts";
import { composed } from "./composition.ts";
import { newTask } from "./new-task.ts";
import { toldStore } from "./telling-store.ts";
import { tellParent as tell } from "./told.ts";

export interface WriterTask {
  root: string;
  loops: string[];
  leaseTtlMs: number;
  seed: number;
}

const MOST_TASKS = 12;
const LONGEST_THOUGHT_MS = 30;

/** Sends commands as an API would, to whichever loop, until it is killed. Most of them keep the loops going. */
export async function write({ root, loops, leaseTtlMs, seed }: WriterTask): Promise<void> {
  const store = toldStore(root, tell);
  const service = composed({ root, store, leaseTtlMs, tell });
  const dice = random(seed);
  tell({ kind: "mark", mark: "start" });
  for (let n = 0; ; n++) {
    const id = dice.pick(loops);
    try {
      for (const command of nextCommands(await service.get(id), `${seed}-${n}`, dice)) {
        await service.send(id, command);
      }
    } catch (error) {
      // Somebody else was first: then the command is refused, and nothing of it is recorded.
      const refused = [
        "invalid_transition",
        "invalid_input",
        "task_not_found",
        "revision_conflict",
      ];
      if (!isLoopError(error) || !refused.includes(error.code)) throw error;
    }
    await delay(dice.between(0, LONGEST_THOUGHT_MS));
  }
}

function nextCommands(state: LoopState, mark: string, dice: Random): LoopCommand[] {
  const { status } = state;
  if (status === "created") return [{ type: "start" }];
  if (status === "paused" || status === "user_exit") return [{ type: "resume" }];
  if (status === "completed" || status === "failed") {
    return [...moreWork(state, mark), { type: "resume", reopen: true }];
  }
  // An action wants some time in which nobody stops it.
  const control: LoopCommand[] = [
    { type: "pause", reason: mark },
    { type: "pause", reason: mark },
    { type: "exit" },
    { type: "stop", reason: mark },
  ];
  if (dice.below(12) === 0) return [dice.pick(control)];
  const anything: (() => LoopCommand[])[] = [
    () => moreWork(state, mark),
    () => [{ type: "edit", changes: { notes: `Note ${mark}` } }],
    () => [{ type: "edit", changes: { title: `Title ${mark}` } }],
    () => [{ type: "edit", changes: { tags: [mark], priority: "high" } }],
    () => retold(tasksOf(state), mark, dice),
  ];
  return dice.pick(anything)();
}

/** One more task; in a long list it takes the place of one that is done. */
function moreWork(state: LoopState, mark: string): LoopCommand[] {
  const tasks = tasksOf(state);
  const done = tasks.find((task) => task.status === "completed");
  const full = tasks.length >= MOST_TASKS;
  const add: LoopCommand = { type: "add_task", task: newTask(`task-${mark}`) };
  if (!full) return [add];
  return done ? [{ type: "remove_task", task_id: done.id }, add] : [];
}

function retold(tasks: readonly DevelopTask[], mark: string, dice: Random): LoopCommand[] {
  if (tasks.length === 0) return [];
  const { id } = dice.pick(tasks);
  return [{ type: "edit_task", task_id: id, changes: { description: `Other work ${mark}` } }];
}
