import type { LoopState, NewLoop } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { folderWorkspace, ONE_TASK, passingVerifier, scriptedAgent } from "@ccw-loop/testkit";

/** The loops of a folder, for somebody who only makes them and looks at them: nothing is driven. */
export function loopsIn(cwd: string) {
  const store = fsStore({ root: cwd, durability: "process" });
  const agent = scriptedAgent({ script: { turns: ONE_TASK } });
  const workspace = async () => folderWorkspace(cwd);
  const verifier = passingVerifier();
  const service = loopService({ store, agent: async () => agent, verifier, workspace, cwd });
  return { service, store, [Symbol.asyncDispose]: () => store.close() };
}

/** A loop `sum` with a task of its own, so that INIT asks nobody; not started. */
export async function makeLoop(cwd: string, more: Partial<NewLoop> = {}): Promise<LoopState> {
  await using loops = loopsIn(cwd);
  const settings = { mode: "auto", agent: "scripted:agent.json" } as const;
  return loops.service.create({ id: "sum", description: "The sum", settings, ...more });
}

export async function stateIn(cwd: string, id = "sum"): Promise<LoopState> {
  await using loops = loopsIn(cwd);
  return loops.service.get(id);
}

/** Of a folder with one loop, whatever its id is. */
export async function onlyStateIn(cwd: string): Promise<LoopState> {
  await using loops = loopsIn(cwd);
  const { loops: found } = await loops.service.list();
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`There are ${found.length} loops.`);
  return only.state;
}
