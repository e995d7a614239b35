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

/** What a name in the loops' folder means for a loop: `state` it or its history, `tasks` its task list. */
export function partOf(name: string): { id: string; part: "state" | "tasks" } | null {
  const found = /^(?<id>.+?)(?<end>\.json|\.history|\.tasks\.jsonl)$/.exec(name)?.groups;
  const id = LoopId.safeParse(found?.id);
  if (!id.success) return null;
  return { id: id.data, part: found?.end === ".tasks.jsonl" ? "tasks" : "state" };
}

/** The id of the loop that a file or folder belongs to which may be left of it alone; null for any other name. */
export function leftoverOf(name: string): string | null {
  const found = /^(?<id>.+?)\.(?:journal\.jsonl|tasks\.jsonl|progress)$/.exec(name)?.groups;
  return LoopId.safeParse(found?.id).data ?? null;
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
