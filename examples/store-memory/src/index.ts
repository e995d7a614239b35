import type { StoreFactory } from "@ccw-loop/core";
import { memoryStore } from "@ccw-loop/testkit";

const factory: StoreFactory = {
  describe: "an example: loops in memory, gone with the process",
  open: () => memoryStore(),
};
export default factory;
