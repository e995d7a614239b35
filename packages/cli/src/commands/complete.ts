import { readdir } from "node:fs/promises";
import { LoopId } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import type { Answer } from "../answer.ts";
import { type Candidate, completionAt } from "../completion/wanted.ts";
import { type Context, openContext } from "../context.ts";
import type { PlaceOptions } from "../hints.ts";
import { createProgram } from "../program/program.ts";
import { loopFolder } from "../project-root.ts";

/** More than anybody looks through. */
const MOST_LOOPS = 500;

/**
 * What may stand in the place of the last of these words, one to a line, each with a tab and its description: what the
 * scripts of `completion` ask. No line where files belong.
 */
export async function complete(context: Context, words: readonly string[]): Promise<Answer> {
  const { candidates, loopsOf } = completionAt(
    createProgram(context.io, () => undefined),
    words,
  );
  const begin = words.at(-1) ?? "";
  const ids = loopsOf === null ? [] : await loopIds(context, loopsOf);
  const loops = ids.filter((id) => id.startsWith(begin)).sort();
  const found = [...candidates, ...loops.map((value): Candidate => ({ value, description: "" }))];
  const lines = found.map(({ value, description }) =>
    description === "" ? value : `${value}\t${sanitizeLine(description)}`,
  );
  return { data: { candidates: found }, text: lines.join("\n") };
}

/** The names of the files are enough, so that no loop has to be read at the press of a key. */
async function loopIds(context: Context, said: PlaceOptions): Promise<string[]> {
  const { remote, parts, root, close } = openContext("list", context.io, said);
  try {
    if (remote !== null) {
      const page = await (await parts.loops()).list({ limit: MOST_LOOPS });
      return page.loops.map(({ state }) => state.loop_id);
    }
    const names = await readdir(loopFolder(root)).catch(() => []);
    const ids = names.flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? []);
    return ids.filter((id) => LoopId.safeParse(id).success).slice(0, MOST_LOOPS);
  } finally {
    await close();
  }
}
