import { LoopError } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { memoryWorkspace } from "@ccw-loop/testkit";

/** A service over the real files of `root` whose loops nobody drives. */
export function idleLoops(root: string) {
  const store = fsStore({ root });
  const nothing = async () => {
    throw new LoopError("agent_unavailable", "Nothing runs in this measurement.");
  };
  const service = loopService({
    store,
    agent: nothing,
    verifier: {
      detect: async () => null,
      verify: nothing,
      check: async () => [],
      missing: async () => [],
      surroundingsChanged: async () => false,
      probe: nothing,
    },
    workspace: async () => memoryWorkspace(new Map()),
    cwd: root,
  });
  return { store, service };
}
