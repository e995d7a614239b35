import {
  type ListPosition,
  LoopError,
  type LoopService,
  type LoopState,
  tasksOf,
} from "@ccw-loop/core";

const PAGE = 200;

/** The loop with that task, among all of them: upstream asks for a task without naming its loop. */
export async function findLoopOfTask(service: LoopService, task: string): Promise<LoopState> {
  let after: ListPosition | undefined;
  for (;;) {
    const { loops } = await service.list({ limit: PAGE, ...(after ? { after } : {}) });
    const found = loops.find(({ state }) => tasksOf(state).some(({ id }) => id === task));
    if (found) return found.state;
    after = loops.at(-1)?.state;
    if (!after || loops.length < PAGE) {
      throw new LoopError("task_not_found", `Task not found: ${task}`);
    }
  }
}
