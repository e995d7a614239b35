import { join } from "node:path";
import { lazyVerifier, openVerifier } from "../../../packages/cli/src/runtime/compose.ts";
import { once } from "../../../packages/cli/src/runtime/once.ts";
import {
  type Agent,
  type AgentSession,
  LoopError,
  type LoopStore,
} from "../../../packages/core/src/index.ts";
import { type LocalLoops, loopService } from "../../../packages/orchestrator/src/index.ts";
import type { Tell } from "./told.ts";

export interface Composition {
  root: string;
  store: LoopStore;
  leaseTtlMs: number;
  tell: Tell;
}

/**
 * The service as the command line puts it together, with a lease of its own length and scripted agents only; each
 * part is loaded when it is first asked for.
 */
export function composed({ root, store, leaseTtlMs, tell }: Composition): LocalLoops {
  const processes = once(async () => {
    const made = await import("../../../packages/processes/src/index.ts");
    return made.processes({ folder: join(root, ".workflow", ".loop", ".processes") });
  });
  return loopService({
    store,
    cwd: root,
    leaseTtlMs,
    verifier: lazyVerifier(async () =>
      openVerifier({ root, hidden: [], processes: await processes() }),
    ),
    endEarlier: async (scope) => (await processes()).endSuperseded(scope),
    keepAlive: async (scope, until) => (await processes()).keepAlive(scope, until),
    async workspace(cwd) {
      const made = await import("../../../packages/workspace-git/src/index.ts");
      return made.openWorkspace(cwd);
    },
    async agent({ agent = "" }) {
      if (!agent.startsWith("scripted:")) return withoutTurns(agent);
      const made = await import("../../../packages/testkit/src/agent/scripted-agent.ts");
      const scripted = made.scriptedAgent({
        file: agent.slice("scripted:".length),
        home: join(root, ".agent"),
        processes: await processes(),
      });
      return {
        ...scripted,
        open: async (options) =>
          tellingSession(await scripted.open(options), tell, options.scope?.loop),
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

/** The same session; tells before a turn begins. */
function tellingSession(session: AgentSession, tell: Tell, loop: string | undefined): AgentSession {
  return {
    get id() {
      return session.id;
    },
    run(prompt, options) {
      tell({ kind: "mark", mark: "turn", loop });
      return session.run(prompt, {
        ...options,
        onEvent(event) {
          if (event.type === "command.output") tell({ kind: "mark", mark: "work", loop });
          options.onEvent?.(event);
        },
      });
    },
    steer: (text) => session.steer(text),
    close: () => session.close(),
  };
}
