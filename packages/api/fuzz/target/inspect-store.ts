import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LoopState } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";

export interface Inspected {
  loops: number;
  /** One sentence each. */
  problems: string[];
}

/** Reads every loop of a project that nobody serves any more: its state, and its journal to the last revision. */
export async function inspectStore(root: string): Promise<Inspected> {
  const problems: string[] = [];
  const store = fsStore({ root, onWarning: ({ message }) => problems.push(message) });
  const { loops, total, damaged } = await store.list({ limit: Number.MAX_SAFE_INTEGER });
  for (const one of damaged) problems.push(`It is damaged: ${JSON.stringify(one)}`);
  if (loops.length !== total)
    problems.push(`${total} loops are counted, ${loops.length} are listed.`);
  for (const { state } of loops) {
    const { success, error } = LoopState.safeParse(state);
    if (!success) problems.push(`${state.loop_id} breaks its schema: ${error.message}`);
    let last = 0;
    for await (const { revision } of store.events(state.loop_id)) last = revision;
    if (last !== state.revision) {
      problems.push(`${state.loop_id} is at ${state.revision}, its journal ends at ${last}.`);
    }
  }
  await store.close();
  const files = await readdir(join(root, ".workflow", ".loop"));
  for (const name of files.filter((one) => one.includes(".rejected-"))) {
    problems.push(`${name} was kept aside.`);
  }
  return { loops: total, problems };
}
