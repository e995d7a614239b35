import { join } from "node:path";
import {
  LoopState,
  PROGRESS_FILES,
  parseProgress,
  parseTaskLines,
  restoreState,
  tasksOf,
  withTasks,
} from "@ccw-loop/core";
import type { OpenLoop, StoreContext } from "../context.ts";

/** A loop put together again from what people can read. */
export interface Rebuilt {
  state: LoopState;
  /** Fields that no document tells. */
  unknown: string[];
  notes: string[];
}

const NEVER_TOLD = [
  "status",
  "completed_at",
  "failure_reason",
  "outcome",
  "tags",
  "priority",
  "notes",
  "limits",
  "settings",
  "usage",
  "agent",
  "receipts",
  "waiting",
  "action",
  "stall",
  "workspace",
  "baseline",
  "checkpoints",
  "accepted",
];
const TOLD_BY_DOCUMENTS = ["title", "description", "created_at", "max_iterations"] as const;
const COUNTED = new Set(["DEVELOP", "DEBUG", "VALIDATE"]);

/**
 * `skill_state` from the progress documents, tasks from the task file. The loop is paused, so that nothing
 * runs before somebody has looked. Null when there is nothing to read.
 */
export function rebuildFromDocuments(
  { disk }: StoreContext,
  { paths }: OpenLoop,
  at: string,
): Rebuilt | null {
  const files: Record<string, string> = {};
  for (const name of PROGRESS_FILES) {
    const text = disk.read(join(paths.progress, name));
    if (text !== null) files[name] = text;
  }
  const lines = parseTaskLines(disk.read(paths.tasks) ?? "");
  const found = Object.keys(files).length > 0 || lines.tasks.length > 0;
  if (!found && disk.info(paths.document) === null) return null;

  const { skill_state, loop, notes } = parseProgress(files);
  const done = skill_state?.completed_actions.filter((action) => COUNTED.has(action)) ?? [];
  const runs = skill_state?.validate.runs?.map((run) => run.iteration) ?? [];
  const iteration = Math.max(loop?.current_iteration ?? 0, done.length, ...runs);
  const told = LoopState.parse({
    title: paths.id,
    created_at: at,
    ...loop,
    loop_id: paths.id,
    status: "paused",
    current_iteration: iteration,
    updated_at: at,
    ...(skill_state ? { skill_state } : {}),
  });
  const known = new Set(tasksOf(told).map((task) => task.id));
  const more = lines.tasks.filter((task) => !known.has(task.id));
  const whole = more.length > 0 ? withTasks(told, [...tasksOf(told), ...more]) : told;
  const { value: state, refused } = restoreState(whole);
  const unknown = [
    ...TOLD_BY_DOCUMENTS.filter((field) => loop?.[field] === undefined),
    ...(loop?.current_iteration === undefined && iteration === 0 ? ["current_iteration"] : []),
    ...(skill_state ? [] : ["skill_state"]),
    ...NEVER_TOLD,
    ...refused,
  ];
  return { state, unknown, notes: [...notes, ...lines.rejected] };
}
