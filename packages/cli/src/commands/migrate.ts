import { counted, LoopError, type LoopState, statusText, tasksOf } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";

const PAGE = 200;

/**
 * Takes over the loops that an older tool has left in the project, in any of its layouts, or with `dryRun` says which. Those that
 * cannot be read are told, with exit code 1. Throws `invalid_input` where the loops are no files.
 */
export async function migrate(
  { parts, root, hint }: Context,
  { dryRun = false }: { dryRun?: boolean },
): Promise<Answer> {
  if ((await parts.storeChoice()) !== undefined) {
    const message =
      "Loops of an older tool are files. Take them over where no other store is named, and then move them with: ccw-loop export --all FILE, ccw-loop import FILE";
    throw new LoopError("invalid_input", message);
  }
  const loops = await parts.loops();
  const found: LoopState[] = [];
  const failed = new Map<string, string>();
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await loops.list({ offset, limit: PAGE });
    total = page.total;
    // No commit of ours is behind those of other tools.
    found.push(...page.loops.filter(({ revision }) => revision === 0).map(({ state }) => state));
    for (const { id, reason } of page.damaged) failed.set(id, reason);
  }
  const taken = dryRun ? found : await Promise.all(found.map(({ loop_id }) => loops.get(loop_id)));
  const rows = taken.map((state) => ({
    loop_id: state.loop_id,
    title: state.title,
    status: state.status,
    tasks: tasksOf(state).length,
  }));
  const unreadable = [...failed].map(([id, reason]) => ({ id, reason }));
  const text = [
    `${counted(taken.length, "loop")} of an older tool in ${sanitizeLine(root)}.`,
    ...taken.map(lineOf),
    ...unreadable.map(({ reason }) => `  ${sanitizeLine(reason)}`),
    ...(taken.length > 0 ? [hint(nextOf(taken, dryRun))] : []),
  ];
  return {
    data: { dry_run: dryRun, loops: rows, failed: unreadable },
    text: text.join("\n"),
    exit: unreadable.length > 0 ? 1 : 0,
  };
}

function nextOf([first]: readonly LoopState[], dryRun: boolean): string {
  return dryRun
    ? "Nothing was changed. Take them over with: ccw-loop migrate"
    : `They are taken over. Go on with one by: ccw-loop run --auto --loop-id ${first?.loop_id}`;
}

function lineOf(state: LoopState): string {
  const tasks = counted(tasksOf(state).length, "task");
  return `  ${state.loop_id}  ${statusText(state)}, ${tasks}: ${sanitizeLine(state.title)}`;
}
