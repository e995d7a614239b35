import type { StoreFactory } from "@ccw-loop/core";
import { memoryStore } from "./memory-store.ts";

const factory: StoreFactory = {
  describe: "an example: loops in memory, gone with the process",
  open: () => memoryStore(),
};
export default factory;
