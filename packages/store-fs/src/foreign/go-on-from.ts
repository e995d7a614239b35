import { unsealed } from "../commits/commit.ts";
import { commit } from "../commits/commit-events.ts";
import type { Context, OpenLoop } from "../context.ts";
import { damaged } from "../disk/errors.ts";
import { stateIn } from "./take-in.ts";

/** Begins a new piece of history with the state of a document that is newer than the old one. */
export async function goOnFrom(
  context: Context,
  loop: OpenLoop,
  text: string,
  revision: number,
): Promise<void> {
  const { id } = loop.paths;
  const state = stateIn(text, id);
  if (!state) throw damaged(id, "its state file is no valid loop state");
  const at = context.now().toISOString();
  const recovered = { type: "loop.recovered" as const, at, state: unsealed(state), unknown: [] };
  await commit(context, loop, [recovered], { actor: "store", revision });
  context.warn(id, `The newest history of loop ${id} is missing. It goes on from its state file.`);
}
