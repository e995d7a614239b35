import { join } from "node:path";
import { type Agent, type AgentSession, LoopError, type LoopStore, NewTask } from "@ccw-loop/core";
import { type LocalLoops, loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { lazyVerifier, openVerifier } from "../../../../packages/cli/src/runtime/compose.ts";
import { once, oncePer } from "../../../../packages/cli/src/runtime/once.ts";
import { factsOf, type Send } from "./messages.ts";

export interface Composition {
  root: string;
  store: LoopStore;
  leaseTtlMs: number;
  send: Send;
}

/**
 * The service as the command line puts it together, with a lease of its own length and scripted agents only; each
 * part is loaded when it is first asked for.
 */
export function composed({ root, store, leaseTtlMs, send }: Composition): LocalLoops {
  const processes = once(async () => {
    const made = await import("@ccw-loop/processes");
    return made.processes({ folder: join(root, ".workflow", ".loop", ".processes") });
  });
  return loopService({
    store,
    cwd: root,
    leaseTtlMs,
    verifier: lazyVerifier(async () => openVerifier({ hidden: [], processes: await processes() })),
    endSuperseded: async (scope) => (await processes()).endSuperseded(scope),
    keepAlive: async (scope, until) => (await processes()).keepAlive(scope, until),
    workspace: oncePer(async (cwd) => {
      const made = await import("@ccw-loop/workspace-git");
      return made.openWorkspace(cwd);
    }),
    async agent({ agent = "" }) {
      if (!agent.startsWith("scripted:")) return withoutTurns(agent);
      const made = await import("../../../../packages/testkit/src/agent/scripted-agent.ts");
      const scripted = made.scriptedAgent({
        file: agent.slice("scripted:".length),
        home: join(root, ".agent"),
        processes: await processes(),
      });
      return {
        ...scripted,
        open: async (options) =>
          reportingSession(await scripted.open(options), send, options.scope?.loop),
      };
    },
  });
}

/** For loops that are never driven: it passes the check before they are made, and cannot be opened. */
function withoutTurns(name: string): Agent {
  return {
    driver: "none",
    check: async () => ({ ok: true, version: null, problems: [], notes: [] }),
    open: async () => {
      throw new LoopError("agent_unavailable", `The soak has no agent called ${name}.`);
    },
  };
}

/** The same session, with a message before a turn begins and for the output of commands. */
function reportingSession(
  session: AgentSession,
  send: Send,
  loop: string | undefined,
): AgentSession {
  return {
    get id() {
      return session.id;
    },
    run(prompt, options) {
      send({ kind: "mark", mark: "turn", loop });
      return session.run(prompt, {
        ...options,
        onEvent(event) {
          if (event.type === "command.output") send({ kind: "mark", mark: "work", loop });
          options.onEvent?.(event);
        },
      });
    },
    steer: (text) => session.steer(text),
    close: () => session.close(),
  };
}

/** The store of a project as every worker uses it: the default durability, a message for everything. */
export function reportingStore(root: string, send: Send): LoopStore {
  const onWarning = ({ id, message }: { id: string; message: string }) =>
    send({ kind: "warning", message: `${id}: ${message}` });
  return reporting(fsStore({ root, onWarning }), send);
}

/** The same store, with a message for every commit once its promise has resolved, and before each call. */
function reporting(store: LoopStore, send: Send): LoopStore {
  return {
    ...store,
    async append(id, revision, events, options) {
      send({ kind: "mark", mark: "commit" });
      try {
        const stored = await store.append(id, revision, events, options);
        if (events.length > 0) {
          send({ kind: "commit", loop: id, revision: stored.revision, facts: factsOf(events) });
        }
        return stored;
      } finally {
        send({ kind: "settled" });
      }
    },
    async claim(id, owner, ttlMs) {
      send({ kind: "mark", mark: "claim" });
      const lease = await store.claim(id, owner, ttlMs);
      send({ kind: "lease", loop: id });
      return lease;
    },
  };
}

/** A task as an operator gives it. */
export function newTask(id: string, description = `Work on ${id}`): NewTask {
  return NewTask.parse({ id, description });
}
