import { setTimeout as delay } from "node:timers/promises";
import {
  type DevelopTask,
  isLoopError,
  type LoopCommand,
  type LoopState,
  tasksOf,
} from "@ccw-loop/core";
import { type Random, seededRandom } from "@ccw-loop/testkit";
import { composed, newTask, reportingStore } from "./composition.ts";
import { sendToParent as send } from "./messages.ts";

export interface WriterTask {
  root: string;
  loops: readonly [string, ...string[]];
  leaseTtlMs: number;
  seed: number;
}

const REFUSALS = ["invalid_transition", "invalid_input", "task_not_found", "revision_conflict"];
const MOST_TASKS = 12;
const LONGEST_THOUGHT_MS = 30;

/** Sends commands as an API would, to whichever loop, until it is killed. Most of them keep the loops going. */
export async function write({ root, loops, leaseTtlMs, seed }: WriterTask): Promise<void> {
  const store = reportingStore(root, send);
  const service = composed({ root, store, leaseTtlMs, send });
  const random = seededRandom(seed);
  send({ kind: "mark", mark: "start" });
  for (let n = 0; ; n++) {
    const id = random.pick(loops);
    try {
      for (const command of nextCommands(await service.get(id), `${seed}-${n}`, random)) {
        await service.send(id, command);
      }
    } catch (error) {
      // Somebody else was first: then the command is refused, and nothing of it is recorded.
      if (!isLoopError(error) || !REFUSALS.includes(error.code)) throw error;
    }
    await delay(random.next() * LONGEST_THOUGHT_MS);
  }
}

function nextCommands(state: LoopState, mark: string, random: Random): LoopCommand[] {
  const { status } = state;
  if (status === "created") return [{ type: "start" }];
  if (status === "paused" || status === "user_exit") return [{ type: "resume" }];
  if (status === "completed" || status === "failed") {
    return [...moreWork(state, mark), { type: "resume", reopen: true }];
  }
  // An action wants some time in which nobody stops it.
  const control: [LoopCommand, ...LoopCommand[]] = [
    { type: "pause", reason: mark },
    { type: "pause", reason: mark },
    { type: "exit" },
    { type: "stop", reason: mark },
  ];
  if (random.int(0, 11) === 0) return [random.pick(control)];
  return random.pick<LoopCommand[]>([
    moreWork(state, mark),
    [{ type: "edit", changes: { notes: `Note ${mark}` } }],
    [{ type: "edit", changes: { title: `Title ${mark}` } }],
    [{ type: "edit", changes: { tags: [mark], priority: "high" } }],
    redescribed(tasksOf(state), mark, random),
  ]);
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

function redescribed(
  [first, ...others]: readonly DevelopTask[],
  mark: string,
  random: Random,
): LoopCommand[] {
  if (!first) return [];
  const { id } = random.pick([first, ...others]);
  return [{ type: "edit_task", task_id: id, changes: { description: `Other work ${mark}` } }];
}
