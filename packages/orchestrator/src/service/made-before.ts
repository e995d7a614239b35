import { createHash } from "node:crypto";
import { isLoopError, LoopError, type LoopState, type LoopStore, opName } from "@ccw-loop/core";
import { randomHex } from "./new-loop.ts";

/** Eight hexadecimal digits for a minted id: those of the request, so that its repetition finds the loop. */
export function digitsOf(opId: string | undefined): string {
  if (opId === undefined) return randomHex();
  return createHash("sha256").update(opName(opId)).digest("hex").slice(0, 8);
}

/** The loop that an earlier request with this op id made; null when there was none. */
export async function findByOpId(
  store: LoopStore,
  id: string | undefined,
  opId: string,
): Promise<LoopState | null> {
  const ending = `-${digitsOf(opId)}`;
  const { loops } = await store.list({ text: id ?? ending });
  for (const { state } of loops) {
    const fits = id === undefined ? state.loop_id.endsWith(ending) : state.loop_id === id;
    const made = fits ? await store.operation(state.loop_id, opId) : null;
    if (made) return made.state;
  }
  return null;
}

/** Throws `loop_exists` for the id of a loop that is there already, whether or not it can be read. */
export async function requireFree(store: LoopStore, id: string): Promise<void> {
  try {
    await store.read(id);
  } catch (error) {
    if (isLoopError(error, "loop_not_found")) return;
    if (!isLoopError(error, "store_corrupt")) throw error;
  }
  throw new LoopError("loop_exists", `Loop ${id} exists already. Choose another id.`);
}
