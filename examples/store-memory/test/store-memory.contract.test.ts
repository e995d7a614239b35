import { describeLoopStore } from "@ccw-loop/testkit/contracts";
import factory from "../src/index.ts";

describeLoopStore("store-memory", () =>
  factory.open({ options: undefined, root: "/", warn: () => undefined }),
);
