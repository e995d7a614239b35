import { join } from "node:path";
import { type LoopState, NewTask, tasksOf } from "@ccw-loop/core";
import type { LoopServiceOptions } from "../src/index.ts";
import { actions, bench, debug, type Turns, verifierThat } from "./support.ts";

export const given = (command: string, fields: object = {}) =>
  NewTask.parse({ id: "t", description: "Run it", tool: "bash", command, ...fields });

/** A loop whose one task is this command; DEBUG finds nothing. */
export async function commanded(
  command: string,
  fields: object = {},
  turns: Turns = [debug()],
  changes: Partial<LoopServiceOptions> = {},
) {
  const b = bench(turns, verifierThat("pass"), changes);
  const id = await b.start({ max_iterations: 4 });
  await b.service.send(id, { type: "add_task", task: given(command, fields) });
  return { ...b, id, file: (name: string) => join(b.dir, name) };
}

export async function ran(command: string, fields: object = {}, turns?: Turns) {
  const b = await commanded(command, fields, turns);
  const state = await b.service.run(b.id);
  const [task] = tasksOf(state);
  return { ...b, state, task, done: await actions(b.store, b.id) };
}

export const lastError = ({ skill_state }: LoopState) => skill_state?.errors.at(-1)?.message;
