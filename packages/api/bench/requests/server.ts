/** The server that is measured, in a process of its own: `node server.ts FOLDER TOKEN`. Says its address when it listens. */
import { LoopError } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { memoryWorkspace } from "@ccw-loop/testkit";
import { serve } from "../../src/node/index.ts";

const [root = "", token = ""] = process.argv.slice(2);
const store = fsStore({ root });
const nothing = async () => {
  throw new LoopError("agent_unavailable", "Nothing runs in this measurement.");
};
const service = loopService({
  store,
  agent: nothing,
  verifier: { detect: async () => null, verify: nothing, inspect: async () => [], probe: nothing },
  workspace: async () => memoryWorkspace(new Map()),
  cwd: root,
});
const server = await serve({
  projects: [{ name: "bench", service }],
  listen: { port: 0 },
  token,
  rate: false,
});
process.send?.({ url: server.url });
process.on("message", () => process.send?.({ memory: process.memoryUsage().rss }));
process.on("disconnect", () => void server.close().then(() => store.close()));
