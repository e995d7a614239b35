import { isLoopError, type LoopService } from "@ccw-loop/core";
import { type Finding, ok, problem } from "@ccw-loop/view";
import type { Context } from "../context.ts";

const PAGE = 100;

/** Whether every loop can be read. */
export async function checkLoops({ parts }: Context): Promise<Finding[]> {
  const { read, damaged } = await readAll(await parts.loops());
  return [
    ok("loops", `${read.length} can be read.`),
    ...damaged.map(({ id, reason }) =>
      problem("loops", `${id} is damaged: ${reason}`, `See: ccw-loop recover ${id}`),
    ),
  ];
}

/** Reads every loop whole: a list is content with what is published. */
async function readAll(loops: LoopService) {
  const ids: string[] = [];
  const damaged: { id: string; reason: string }[] = [];
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await loops.list({ offset, limit: PAGE });
    total = page.total;
    ids.push(...page.loops.map(({ state }) => state.loop_id));
    if (offset === 0) damaged.push(...page.damaged);
  }
  const read: string[] = [];
  for (const id of ids) {
    try {
      await loops.get(id);
      read.push(id);
    } catch (error) {
      if (isLoopError(error, "loop_not_found")) continue;
      damaged.push({ id, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { read, damaged };
}
