import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { timelineTable } from "../views/timeline.ts";

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
