/** Appends once per message to the revision it names, with several stores at once, and says how many won, and when. */
import { isLoopError } from "@ccw-loop/core";
import { fsStore } from "../../src/index.ts";
import { BY, noted } from "../loops.ts";

/** One round of one process; times are nanoseconds of the clock that all processes share. */
export interface Round {
  won: number;
  begun: number;
  ended: number;
}

const now = () => Number(process.hrtime.bigint());
const [root = "", writers = ""] = process.argv.slice(2);
const stores = Array.from({ length: Number(writers) }, () =>
  fsStore({ root, durability: "process" }),
);
process.on("message", (revision: number) => {
  const begun = now();
  void Promise.all(stores.map((store) => wins(store, revision))).then((won) => {
    const round: Round = { won: won.filter(Boolean).length, begun, ended: now() };
    process.send?.(round);
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
