/** Appends once per message to the revision it names, with several stores at once, and says how many won. */
import { isLoopError } from "@ccw-loop/core";
import { fsStore } from "../../src/index.ts";
import { BY, noted } from "../loops.ts";

const [root = "", writers = ""] = process.argv.slice(2);
const stores = Array.from({ length: Number(writers) }, () =>
  fsStore({ root, durability: "process" }),
);
process.on("message", (revision: number) => {
  void Promise.all(stores.map((store) => wins(store, revision))).then((won) => {
    process.send?.(won.filter(Boolean).length);
  });
});
process.send?.("ready");

async function wins(store: (typeof stores)[number], revision: number): Promise<boolean> {
  try {
    await store.append("a", revision, [noted(`${process.pid}`)], BY);
    return true;
  } catch (error) {
    if (!isLoopError(error, "revision_conflict")) throw error;
    return false;
  }
}
