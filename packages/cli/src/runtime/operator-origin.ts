import { realpathSync } from "node:fs";
import { LoopError, type LoopState } from "@ccw-loop/core";
import { commandsThat } from "../program/commands.ts";
import { processFolder } from "./project-root.ts";

/** Names the projects whose loops are driven here, one a line; every command and test that a loop starts inherits it. */
const DRIVEN_PROJECTS = "CCW_LOOP_DRIVES";

/** The marks of this process that are in force; it may drive several projects at once, for as long as it likes each. */
const marks = new Set<readonly string[]>();
const inherited = process.env[DRIVEN_PROJECTS];

/** Marks this process as one that drives loops of these projects, until it is disposed. */
export function markDriving(...roots: string[]): Disposable {
  const mark = roots.map((root) => realpathSync(root));
  const write = () => {
    const driven = [...new Set([inherited?.split("\n") ?? [], ...marks].flat())];
    if (driven.length > 0) process.env[DRIVEN_PROJECTS] = driven.join("\n");
    else delete process.env[DRIVEN_PROJECTS];
  };
  marks.add(mark);
  write();
  return {
    [Symbol.dispose]() {
      marks.delete(mark);
      write();
    },
  };
}

/**
 * Refuses an operator's command that comes from inside of a turn or a test run of the same project: it would be the
 * agent's word (ADR 12). Who descends from one is known by its mark, group or session as well, whatever it did to its
 * environment. `root` is null where the loops are not in the files of a project: then a loop of any project here may be one
 * of them. Throws `invalid_transition`.
 */
export async function requireOperator(
  env: Readonly<Record<string, string | undefined>>,
  root: string | null,
  command: string,
): Promise<void> {
  // What only looks may be called from anywhere.
  if (commandsThat("reads").has(command)) return;
  const drives = env[DRIVEN_PROJECTS]?.split("\n");
  const isMarked = root === null ? drives !== undefined : drives?.includes(realpathSync(root));
  if (!isMarked) {
    const { originOf } = await import("@ccw-loop/processes");
    if (!originOf(root === null ? null : processFolder(root)).isLoop) return;
  }
  const whose = root ?? drives?.[0] ?? "this machine";
  throw new LoopError(
    "invalid_transition",
    `${command} comes from inside of a loop of ${whose}; only its operator may change it. Call it in another terminal.`,
  );
}

/**
 * Refuses what narrows a proof, an answer or settings, where it comes from a process without parent and terminal that began
 * while this loop was at work: nobody can tell it from one that an agent left behind. It may come from inside of another
 * project's loop only where that work made this loop, as tests do. Throws `invalid_transition`.
 */
export async function requireKnownOrigin(state: LoopState, command: string): Promise<void> {
  const { originOf } = await import("@ccw-loop/processes");
  const { workSince, orphanedAt } = originOf(null);
  const { loop_id, created_at, checkpoints, updated_at, waiting, status } = state;
  if (workSince !== null && Date.parse(created_at) < workSince.getTime()) {
    throw new LoopError(
      "invalid_transition",
      `${command} comes from inside of a loop of another project; only the operator of loop ${loop_id} may change it. Call it in another terminal.`,
    );
  }
  if (orphanedAt === null) return;
  const end = waiting?.since ?? (status === "running" ? undefined : updated_at);
  const isBefore = orphanedAt.getTime() < Date.parse(checkpoints?.[0]?.at ?? created_at);
  const isAfter = end !== undefined && orphanedAt.getTime() > Date.parse(end);
  if (isBefore || isAfter) return;
  throw new LoopError(
    "invalid_transition",
    `${command} comes from a program without parent and terminal that was started while loop ${loop_id} was at work, so it may be the agent's. Call it in a terminal, or from a program that is started now.`,
  );
}
