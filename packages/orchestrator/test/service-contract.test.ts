import { fsStore } from "@ccw-loop/store-fs";
import { describeLoopService } from "@ccw-loop/testkit/contracts";
import { gitWorkspace } from "@ccw-loop/workspace-git";
import { loopService } from "../src/index.ts";

describeLoopService("local", {
  open: async (ports) => ({ service: loopService(ports), close: async () => undefined }),
  workspace: async (cwd) => gitWorkspace(cwd),
  store: (root) => fsStore({ root, durability: "process" }),
});
