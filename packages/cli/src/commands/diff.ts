import { LoopError, type LoopState } from "@ccw-loop/core";
import { paintedPatch, statText } from "@ccw-loop/view";
import type { Answer, StreamedAnswer } from "../answer.ts";
import type { Context } from "../context.ts";
import { type NumberRange, parseRange } from "../text/range.ts";

/**
 * What lies between two checkpoints: a patch as `git apply` takes it, byte for byte; on a terminal painted and
 * without anything that a terminal would obey.
 */
export async function diff(
  context: Context,
  id: string,
  range: string | undefined,
  flags: { stat?: true },
): Promise<Answer | StreamedAnswer> {
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
  return { streamed: true };
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
