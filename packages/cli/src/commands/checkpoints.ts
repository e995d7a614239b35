import { LoopError, type LoopState, statusText, withoutUndefined } from "@ccw-loop/core";
import {
  firstLines,
  namedRows,
  nextCommands,
  paintedPatch,
  sanitizeLine,
  statText,
  worktreeLines,
} from "@ccw-loop/view";
import { outcomeData } from "../output/outcome.ts";
import { timelineTable } from "../output/tables.ts";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";

/** Files and state of a loop go back to a checkpoint; it is paused then. */
export async function rewind(
  context: Context,
  id: string,
  n: number,
  { force }: { force?: true },
): Promise<Answer> {
  const loops = await context.parts.loops();
  const { state, kept, left } = await loops.rewind(id, n, { force: force === true });
  return {
    data: { ...outcomeData(state, context), checkpoint: n, kept, left },
    text: [
      context.hint(
        `Loop ${id} and its files are back at checkpoint ${n}. It is ${statusText(state)}. Go on with: ${nextCommands(state)[0]}`,
      ),
      ...(left.length === 0
        ? []
        : [
            `Left as they are, because they were changed from outside: ${firstLines(left).join(", ")}`,
          ]),
      ...(kept === null
        ? []
        : [
            `Files as they were before are kept: git restore --source=${kept.slice(0, 12)} -- PATH`,
          ]),
    ].join("\n"),
  };
}

interface ForkFlags {
  loopId?: string;
  title?: string;
}

/** A new loop that begins at a checkpoint of another, in a worktree of its own. */
export async function fork(
  context: Context,
  id: string,
  n: number,
  { loopId, title }: ForkFlags,
): Promise<Answer> {
  const loops = await context.parts.loops();
  const state = await loops.fork(id, n, withoutUndefined({ id: loopId, title }));
  const rows = namedRows(
    [
      ["Title", [state.title]],
      ["Worktree", worktreeLines(state)],
      ["Next", nextCommands(state).map(context.hint)],
    ],
    context.paint,
  );
  return {
    data: { ...outcomeData(state, context), forked_from: { loop_id: id, checkpoint: n } },
    text: [`Loop ${sanitizeLine(state.loop_id)} begins at checkpoint ${n} of ${id}.`, ...rows].join(
      "\n",
    ),
  };
}

/** Every action with what it changed, what the tests said and what it used. */
export async function timeline(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  const { checkpoints = [] } = await loops.get(id);
  const entries = await loops.timeline(id);
  return {
    data: { loop_id: id, checkpoints: checkpoints.map(({ n }) => n), timeline: entries },
    text: timelineTable(id, entries, context),
  };
}

/**
 * What lies between two checkpoints: a patch as `git apply` takes it, byte for byte; on a terminal painted and
 * without anything that a terminal would obey.
 */
export async function diff(
  context: Context,
  id: string,
  range: string | undefined,
  flags: { stat?: true },
): Promise<Answer> {
  const loops = await context.parts.loops();
  const { io, paint } = context;
  const between = range === undefined ? {} : read(range, await loops.get(id));
  const found = await loops.diff(id, between);
  if (context.json) return { data: { loop_id: id, ...found }, text: "" };
  if (flags.stat) return { data: {}, text: statText(found, paint) };
  if (found.files.length === 0) {
    context.say(`Nothing changed from checkpoint ${found.from} to ${found.to}.`);
  }
  io.stdout.write(io.stdout.isTTY ? paintedPatch(found.patch, paint) : found.patch);
  return {};
}

function read(range: string, { loop_id, checkpoints = [] }: LoopState): NumberRange {
  const parsed = parseRange(range);
  if (parsed) return parsed;
  const [first, last] = [checkpoints.at(0), checkpoints.at(-1)];
  const known = first && last ? `has ${first.n} to ${last.n}` : "has none yet";
  throw new LoopError(
    "invalid_input",
    `${JSON.stringify(range)} names no checkpoints: use A..B, A.. or ..B with their numbers. Loop ${loop_id} ${known}.`,
  );
}

/** Two numbers; the end that is not there is open. */
export interface NumberRange {
  from?: number;
  to?: number;
}

/** `A..B`, `A..`, `..B`, or `A` for `A..`; undefined for anything else. */
export function parseRange(text: string): NumberRange | undefined {
  const [whole, from, dots, to] = /^(\d{1,9})?(\.\.)?(\d{1,9})?$/.exec(text) ?? [];
  if (!whole || (dots === undefined && to !== undefined)) return undefined;
  return withoutUndefined({
    from: from === undefined ? from : Number(from),
    to: to === undefined ? to : Number(to),
  });
}
