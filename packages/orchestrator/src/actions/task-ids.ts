import type { DevelopTask } from "@ccw-loop/core";

/** Mints `task-001`, `task-002`, … behind the highest number that a task of the loop has already. */
export function freeTaskIds(prefix: string, tasks: readonly DevelopTask[]): () => string {
  const pattern = new RegExp(`^${prefix}-(\\d{1,9})$`);
  let number = Math.max(0, ...tasks.map(({ id }) => Number(pattern.exec(id)?.[1] ?? 0)));
  return () => {
    number += 1;
    return `${prefix}-${String(number).padStart(3, "0")}`;
  };
}
