/** The server that is measured, in a process of its own: `node server.ts FOLDER TOKEN`. Says its address when it listens. */
import { setFlagsFromString } from "node:v8";
import { serve } from "@ccw-loop/api/node";
import { idleLoops } from "./loops.ts";

// As packages/cli/bin/start.js does.
setFlagsFromString("--semi-space-growth-factor=1");

const [root = "", token = ""] = process.argv.slice(2);
const { store, service } = idleLoops(root);
const server = await serve({
  projects: [{ name: "bench", service }],
  listen: { port: 0 },
  token,
  rate: false,
});
process.send?.({ url: server.url });
process.on("message", () => process.send?.({ memory: process.memoryUsage().rss }));
process.on("disconnect", () => void server.close().then(() => store.close()));
