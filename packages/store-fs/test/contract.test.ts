import { describeLoopStore } from "@ccw-loop/testkit/contracts";
import { fsStore } from "../src/index.ts";
import { testStore } from "./faults.ts";
import { makeProject } from "./project.ts";

describeLoopStore("fs, safe against power cuts", () => fsStore({ root: makeProject() }));

describeLoopStore("fs, safe against killed processes", () =>
  fsStore({ root: makeProject(), durability: "process" }),
);

describeLoopStore("fs, every commit telling only what it changed", () =>
  testStore(makeProject(), { wholeBelow: 0 }),
);
