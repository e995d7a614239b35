import { memoryStore } from "@ccw-loop/testkit";
import { describeLoopStore } from "@ccw-loop/testkit/contracts";

describeLoopStore("memory", () => memoryStore());
