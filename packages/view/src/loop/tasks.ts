import type { DevelopTask, TaskStatus } from "@ccw-loop/core";
import { sanitizeLine } from "../text/inert-text.ts";

export const TASK_GLYPHS: Readonly<Record<TaskStatus, string>> = {
  pending: "○",
  in_progress: "▸",
  completed: "✔",
  failed: "✖",
};

/** One line per task: how it stands, its id, what it is. */
export function taskLines(tasks: readonly DevelopTask[]): string[] {
  if (tasks.length === 0) return ["  no tasks yet"];
  const width = Math.max(...tasks.map(({ id }) => id.length));
  return tasks.map(
    ({ id, status, description }) =>
      `  ${TASK_GLYPHS[status]} ${sanitizeLine(id).padEnd(width)}  ${sanitizeLine(description)}`,
  );
}
