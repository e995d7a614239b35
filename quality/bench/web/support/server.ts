/**
 * Serves the loops of a folder with the dashboard, in a process of its own, and drives none:
 *   node server.ts FOLDER
 * Prints its address and a code that logs one browser in, as JSON.
 */
import { join } from "node:path";
import { serve } from "@ccw-loop/api/node";
import { loopsIn } from "../../../../apps/tui/test/support/make-loop.ts";
import { pageFolder } from "../../../../apps/web/src/index.ts";

const folder = process.argv[2] ?? "";
const { service } = loopsIn(folder);
const server = await serve({
  projects: [{ name: "bench", root: folder, service, drives: () => false }],
  page: pageFolder,
  listen: { port: 0 },
  tokenFile: join(folder, "token", "token"),
});
console.log(JSON.stringify({ url: server.url, login: await server.login() }));
