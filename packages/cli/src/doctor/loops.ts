import { isLoopError, type LoopService, type UndrivenLoop } from "@ccw-loop/core";
import { driveCommand, driverText, type Finding, note, ok, problem } from "@ccw-loop/view";
import type { Context } from "../context.ts";

const PAGE = 100;

/** Whether every loop can be read, and whether somebody drives those that run. */
export async function checkLoops({ parts }: Context): Promise<Finding[]> {
  const { read, damaged, undriven } = await readAll(await parts.loops());
  return [
    ok("loops", `${read.length} can be read.`),
    ...undriven.map(({ id, since }) => note("loops", ...undrivenAdvice(id, since))),
    ...damaged.map(({ id, reason }) =>
      problem("loops", `${id} is damaged: ${reason}`, `See: ccw-loop recover ${id}`),
    ),
  ];
}

function undrivenAdvice(id: string, since: string): [message: string, next: string] {
  const driver = driverText({ driven_by: null, undriven_since: since }, new Date());
  return [`${id} is running, but driven by ${driver}.`, `Drive it with: ${driveCommand(id)}`];
}

/** Reads every loop whole: a list is content with what is published. */
async function readAll(loops: LoopService) {
  const ids: string[] = [];
  const damaged: { id: string; reason: string }[] = [];
  const undriven: UndrivenLoop[] = [];
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await loops.list({ offset, limit: PAGE });
    total = page.total;
    undriven.push(...page.undriven);
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
  return { read, damaged, undriven };
}
