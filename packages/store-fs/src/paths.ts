import { join } from "node:path";
import { LoopId } from "@ccw-loop/core";

/** Where a project keeps its loops, and where its predecessors did. */
export interface ProjectPaths {
  root: string;
  workflow: string;
  loops: string;
  /** `.loop` at the top of the project, the oldest place. */
  oldest: string;
}

export function projectPaths(root: string): ProjectPaths {
  const workflow = join(root, ".workflow");
  return { root, workflow, loops: join(workflow, ".loop"), oldest: join(root, ".loop") };
}

/** Every path of one loop, built from its id alone. */
export interface LoopPaths {
  id: string;
  folder: string;
  document: string;
  journal: string;
  history: string;
  tasks: string;
  progress: string;
}

export function loopPaths(folder: string, id: string): LoopPaths {
  return {
    id,
    folder,
    document: join(folder, `${id}.json`),
    journal: join(folder, `${id}.journal.jsonl`),
    history: join(folder, `${id}.history`),
    tasks: join(folder, `${id}.tasks.jsonl`),
    progress: join(folder, `${id}.progress`),
  };
}

/**
 * What a name in the loops' folder means for a loop: `state` it or its history, `tasks` its task list, `rest` what is
 * written with them. What is no state may be left of a loop alone.
 */
export function partOf(name: string): { id: string; part: "state" | "tasks" | "rest" } | null {
  const [, own = "", state, tasks] =
    /^(.+?)(?:(\.json|\.history)|(\.tasks\.jsonl)|\.journal\.jsonl|\.progress)$/.exec(name) ?? [];
  const id = LoopId.safeParse(own).data;
  return id === undefined ? null : { id, part: state ? "state" : tasks ? "tasks" : "rest" };
}

let count = 0;
const mark = Math.random().toString(36).slice(2, 8);

/** A name that no other process and no earlier call used; the leading dot hides it from people. */
export function temporary(folder: string): string {
  count += 1;
  return join(folder, `.tmp-${process.pid}-${mark}-${count}`);
}

export function isTemporary(name: string): boolean {
  return name.startsWith(".tmp-");
}
