import { basename, relative } from "node:path";
import { type LoopState, tasksOf, withTasks } from "@ccw-loop/core";
import { isSealed } from "../commits/commit.ts";
import { commit } from "../commits/commit-events.ts";
import { damaged } from "../commits/history.ts";
import { jsonOf } from "../commits/lines.ts";
import { type Context, identityOf, type OpenLoop } from "../context.ts";
import { laterEpoch, makeHistory, makeProject } from "../folders.ts";
import { bytesOf } from "../foreign/aside.ts";
import { goOnFrom } from "../foreign/go-on-from.ts";
import { stateIn } from "../foreign/take-in.ts";
import { whole } from "../publish/whole.ts";
import { keepDocuments } from "./documents.ts";
import { findSource, type Source } from "./sources.ts";
import { olderTasks } from "./tasks.ts";

/** Files beside the loops that are none, even when they cannot be read. */
const NO_LOOPS = new Set(["prep-package"]);
const MARKS = ["loop_id", "session_id", "skill_state", "task_description"];

/**
 * First contact with a loop that somebody else made: an editor, the dashboard, an older tool in an older
 * place. It becomes revision 1; its documents are kept in the progress folder under `older/`. False when
 * there is no such loop. Throws `store_corrupt` when its state cannot be read.
 */
export async function adopt(context: Context, loop: OpenLoop): Promise<boolean> {
  const { id } = loop.paths;
  const source = NO_LOOPS.has(id) ? null : findSource(context, loop.paths);
  if (!source) return false;
  const { text } = await whole(context.machine, () => bytesOf(context.disk, source.state));
  const raw = jsonOf(text);
  if (raw !== undefined && !isLoop(raw)) return false;
  const meta = jsonOf((source.meta && context.disk.read(source.meta)) ?? "");
  const state = raw === undefined ? null : stateIn(JSON.stringify({ ...Object(meta), ...raw }), id);
  if (!state) throw damaged(id, `${basename(source.state)} is no valid loop state`);

  const tasks = olderTasks(context, source);
  await makeProject(context);
  await makeHistory(context, loop.paths, isSealed(raw) ? laterEpoch(context) : 0);
  if (isSealed(raw)) {
    await goOnFrom(context, loop, text, raw.revision + 1);
  } else {
    keepDocuments(context, loop, source);
    const loopWithTasks = addTasks(state, tasks);
    const at = context.now().toISOString();
    const from = relative(context.project.root, source.state);
    const event = { type: "loop.created" as const, at, loop: loopWithTasks, adopted_from: from };
    await commit(context, loop, [{ ...event, notes: notesOn(raw, id) }], { actor: "external" });
  }
  settleSource(context, loop, source, text);
  return true;
}

function isLoop(raw: unknown): raw is object {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return false;
  return MARKS.some((mark) => mark in raw) || ("status" in raw && "title" in raw);
}

function notesOn(raw: unknown, id: string): string[] {
  const named: unknown = Object(raw).loop_id ?? Object(raw).session_id;
  if (named === undefined || named === id) return [];
  return [`The file said loop_id ${JSON.stringify(named)}; the name of the file counts.`];
}

function addTasks(state: LoopState, tasks: ReturnType<typeof olderTasks>): LoopState {
  const known = new Set(tasksOf(state).map((task) => task.id));
  const fresh = tasks.filter((task) => !known.has(task.id));
  return fresh.length > 0 ? withTasks(state, [...tasksOf(state), ...fresh]) : state;
}

/** What was taken over needs no second look; what lies in an older place is renamed. */
function settleSource(context: Context, loop: OpenLoop, source: Source, text: string): void {
  const { disk } = context;
  const { id, document, tasks } = loop.paths;
  loop.known = source.state === document ? text : null;
  loop.published = 0;
  loop.touched = null;
  const file = identityOf(disk, tasks);
  loop.tasks = file === null ? null : { file, text: disk.read(tasks) ?? "" };
  for (const path of source.spent) {
    try {
      if (disk.info(path)) disk.rename(path, `${path}.migrated`);
    } catch {
      context.warn(id, `${path} was taken over, but could not be renamed. You may delete it.`);
    }
  }
}
