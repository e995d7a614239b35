import { statusText } from "@ccw-loop/core";
import { firstLines, namedRows, nextCommands, sanitizeLine, worktreeLines } from "@ccw-loop/view";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { outcomeData } from "../views/outcome.ts";

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
  const state = await loops.fork(id, n, {
    ...(loopId === undefined ? {} : { id: loopId }),
    ...(title === undefined ? {} : { title }),
  });
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
