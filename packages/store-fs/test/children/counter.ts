/** Adds one to the number in the notes of a loop, `times` times, each time on top of what is newest. */
import { isLoopError } from "@ccw-loop/core";
import { fsStore } from "../../src/index.ts";
import { AT, BY } from "../loops.ts";

const [root = "", times = ""] = process.argv.slice(2);
const store = fsStore({ root, durability: "process" });
let conflicts = 0;
for (let done = 0; done < Number(times); ) {
  const { state, revision } = await store.read("a");
  const notes = String(Number(state.notes ?? "0") + 1);
  try {
    await store.append("a", revision, [{ type: "loop.edited", at: AT, changes: { notes } }], BY);
    done += 1;
  } catch (error) {
    if (!isLoopError(error, "revision_conflict")) throw error;
    conflicts += 1;
  }
}
await store.close();
process.send?.({ conflicts });
