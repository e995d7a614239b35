/**
 * The server that is asked, in a process of its own: `serve` over real files and a real repository, with an agent that
 * follows a script and tests that are never run, so that nothing a request says is ever executed.
 * Argument: the project's folder. Tells its parent where it listens, and its memory when asked.
 */
import { createLog, serve } from "@ccw-loop/api/node";
import { LoopError, type Workspace } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { type AgentScriptInput, passingVerifier, scriptedAgent } from "@ccw-loop/testkit";
import { openWorkspace } from "@ccw-loop/workspace-git";
import { turnFor } from "../../support/script.ts";

/** INIT plans a task, also for whoever asks for more; DEVELOP writes a file, and can be told something meanwhile. */
const SCRIPT: AgentScriptInput = {
  turns: [
    turnFor("INIT", { state_updates: { tasks: [{ description: "add the flag" }] } }),
    turnFor("DEVELOP", { message: "done", state_updates: { summary: "wrote flag.js" } }, [
      { say: "Writing." },
      { wait: 300 },
      { append: { path: "flag.js", text: "// a line\n" } },
    ]),
  ],
};

const [cwd = ""] = process.argv.slice(2);
const stop = new AbortController();
// Not `once`: where nobody listens any more, execa ends the process while a command of git runs.
for (const signal of ["SIGTERM", "SIGINT", "disconnect"]) process.on(signal, () => stop.abort());

/** Every tenth conversation cannot be opened. */
let opened = 0;
const scripted = scriptedAgent({ script: SCRIPT });
const agent = async () => {
  opened += 1;
  if (opened % 10 > 0) return scripted;
  throw new LoopError("agent_unavailable", "The agent cannot be started now.");
};

/** Every look at the worktrees costs a few calls of git for each. */
async function fewWorktrees(whole: Workspace): Promise<Workspace> {
  const made = new Set<string>();
  return {
    ...whole,
    async addWorktree(id, ...rest) {
      if (made.size >= 4) throw new LoopError("invalid_input", "There are enough worktrees.");
      made.add(id);
      return whole.addWorktree(id, ...rest).catch((error: unknown) => {
        made.delete(id);
        throw error;
      });
    },
    async removeWorktree(id, ...rest) {
      await whole.removeWorktree(id, ...rest);
      made.delete(id);
    },
  };
}

/** What the server itself did not expect; the rest is the requests' own business. */
function tellUnexpected(line: string): void {
  if (line.includes('"code":"internal"')) process.stderr.write(line);
}

const store = fsStore({ root: cwd, durability: "process" });
const workspace = await fewWorktrees(await openWorkspace(cwd));
const service = loopService({
  store,
  agent,
  verifier: passingVerifier(),
  workspace: async (folder) => (folder === cwd ? workspace : openWorkspace(folder)),
  cwd,
});
const server = await serve({
  projects: [{ name: "shop", service, drives: () => true }],
  listen: { port: 0 },
  token: process.env.FUZZ_TOKEN ?? "",
  log: createLog({ write: tellUnexpected }, "error"),
  signal: stop.signal,
});
const supervised = service.supervise({ concurrency: 3, signal: stop.signal });
process.on("message", () => process.send?.({ rss: process.memoryUsage.rss() }));
process.send?.({ url: server.url });
await Promise.all([supervised, server.closed]);
await store.close();
process.disconnect?.();
