import { hostname } from "node:os";
import { dirname, join } from "node:path";
import {
  type Agent,
  LoopError,
  type LoopStore,
  type ProcessScope,
  type Settings,
  type Verifier,
  type Workspace,
} from "@ccw-loop/core";
import type { LocalLoops } from "@ccw-loop/orchestrator";
import type { Processes } from "@ccw-loop/processes";
import { SettingValues } from "@ccw-loop/view";
import { once, oncePer } from "./once.ts";
import { processFolder } from "./project-root.ts";

/** The product, put together for one project. Each part is loaded when it is first asked for. */
export interface Parts {
  loops(): Promise<LocalLoops>;
  store(): Promise<LoopStore>;
  /** The files of a folder: of the project, or of a loop's own worktree. */
  workspace(cwd: string): Promise<Workspace>;
  /** The agent that a loop's settings name; Codex when they name none. Throws `agent_unavailable`. */
  agent(settings: Settings): Promise<Agent>;
  verifier: Verifier;
  /** What was started for the project's loops on this machine. */
  processes(): Promise<Processes>;
  close(): Promise<void>;
}

export interface ComposeOptions {
  /** Told in a sentence what the store repaired or kept aside. */
  warn: (message: string) => void;
  /** Holds what receipts are sealed with; made when it is first needed. */
  keyFile: string;
}

/**
 * The composition root: the only place that names implementations.
 */
export function compose(root: string, { warn, keyFile }: ComposeOptions): Parts {
  const closing: (() => Promise<void>)[] = [];
  const store = once(async () => {
    const { fsStore } = await import("@ccw-loop/store-fs");
    const made = fsStore({ root, onWarning: ({ message }) => warn(message) });
    closing.push(() => made.close());
    return made;
  });
  const workspace = oncePer(async (cwd) => {
    const { openWorkspace } = await import("@ccw-loop/workspace-git");
    return openWorkspace(cwd);
  });
  const processes = once(async () => {
    const made = await import("@ccw-loop/processes");
    return made.processes({ folder: processFolder(root) });
  });
  const sealKey = once(async () => {
    const { readOrMakeKey } = await import("../config/seal-key.ts");
    return readOrMakeKey(keyFile);
  });
  // Key and token lie there.
  const hidden = [dirname(keyFile)];
  const agent = async (settings: Settings) => {
    // Its folder has to be there to be hidden.
    await sealKey();
    return openAgent(settings, { root, hidden, processes: await processes() });
  };
  const parts = { store, workspace, agent, verifier: lazyVerifier(processes, hidden) };
  const loops = once(async () => {
    const { loopService } = await import("@ccw-loop/orchestrator");
    const owner = `cli:${hostname()}:${process.pid}`;
    const endEarlier = async (scope: ProcessScope) => (await processes()).endSuperseded(scope);
    const keepAlive = async (scope: ProcessScope, until: number | null) =>
      (await processes()).keepAlive(scope, until);
    const made = { store: await store(), agentProblem, endEarlier, keepAlive, sealKey };
    return loopService({ ...parts, ...made, cwd: root, owner });
  });
  return {
    ...parts,
    processes,
    loops,
    close: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
}

function agentProblem(name: string): string | undefined {
  return SettingValues.shape.agent.safeParse(name).error?.issues[0]?.message;
}

interface AgentPlace {
  root: string;
  hidden: readonly string[];
  processes: Processes;
}

async function openAgent(
  settings: Settings,
  { root, hidden, processes }: AgentPlace,
): Promise<Agent> {
  const name = settings.agent ?? "codex";
  if (name === "codex") {
    const { codexAgent } = await import("@ccw-loop/agent-codex");
    return codexAgent({ processes, hide: hidden });
  }
  if (name.startsWith("scripted:")) {
    const { scriptedAgent } = await import("@ccw-loop/testkit");
    // One home for the project and its worktrees, so that a fork can copy a conversation.
    const home = join(root, ".workflow", "scripted-agent");
    return scriptedAgent({ file: name.slice("scripted:".length), home, processes });
  }
  throw new LoopError(
    "agent_unavailable",
    `There is no agent called ${name}. Choose one with: --agent codex or --agent scripted:FILE.`,
  );
}

/** The verifier, loaded when tests are first looked for. */
export function lazyVerifier(
  processes: () => Promise<Processes>,
  hidden: readonly string[],
): Verifier {
  const real = once(async () => {
    const { verifier } = await import("@ccw-loop/verify");
    return verifier({ processes: await processes(), hidden });
  });
  return {
    detect: async (...args) => (await real()).detect(...args),
    verify: async (...args) => (await real()).verify(...args),
    check: async (...args) => (await real()).check(...args),
    probe: async (...args) => (await real()).probe(...args),
    missing: async (...args) => (await real()).missing(...args),
    surroundingsChanged: async (...args) => (await real()).surroundingsChanged(...args),
  };
}
