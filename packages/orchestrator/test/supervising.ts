import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Agent,
  type AgentSession,
  LoopError,
  type LoopStore,
  orAborted,
  type Workspace,
} from "@ccw-loop/core";
import { folderWorkspace, memoryStore } from "@ccw-loop/testkit";
import { expect, onTestFinished, vi } from "vitest";
import {
  type LocalLoops,
  type LoopServiceOptions,
  loopService,
  type SuperviseOptions,
  type SupervisorNotice,
} from "../src/index.ts";
import { project, verifierThat } from "./support.ts";

/** An agent whose DEVELOP turns last until the test lets their loop go; it knows loops by the scope of its sessions. */
export interface HeldAgent extends Agent {
  /** `loop:ACTION` of every turn in the order in which they began. */
  begun: string[];
  live: Set<string>;
  /** The most turns that were under way at once. */
  most: number;
  letGo(...loops: string[]): void;
  /** The next turn of this loop throws it. */
  fail(loop: string, error: Error): void;
}

export function heldAgent(): HeldAgent {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const failures = new Map<string, Error>();
  const gateOf = (loop: string) => {
    const gate = gates.get(loop) ?? Promise.withResolvers<void>();
    gates.set(loop, gate);
    return gate.promise;
  };
  const agent: HeldAgent = {
    driver: "held",
    begun: [],
    live: new Set(),
    most: 0,
    check: async () => ({ ok: true, version: null, problems: [], notes: [] }),
    letGo: (...loops) => {
      for (const loop of loops) {
        void gateOf(loop);
        gates.get(loop)?.resolve();
      }
    },
    fail: (loop, error) => void failures.set(loop, error),
    open: async ({ scope, cwd }) => session(scope?.loop ?? "", cwd),
  };

  function session(loop: string, cwd: string): AgentSession {
    return {
      id: `session-of-${loop}`,
      async run(prompt, { signal }) {
        const action = /# ACTION: (\w+)/.exec(prompt)?.[1] ?? "";
        if (agent.live.has(loop)) throw new Error(`${loop} is acted on twice at once.`);
        agent.begun.push(`${loop}:${action}`);
        agent.live.add(loop);
        agent.most = Math.max(agent.most, agent.live.size);
        try {
          const failure = failures.get(loop);
          failures.delete(loop);
          if (failure) throw failure;
          if (action === "DEVELOP") {
            await orAborted(gateOf(loop), signal);
            writeFileSync(join(cwd, "work"), loop);
          }
          return { text: answer(action), usage: null };
        } finally {
          agent.live.delete(loop);
        }
      },
      steer: async () => undefined,
      close: async () => undefined,
    };
  }
  return agent;
}

function answer(action: string): string {
  const updates = action === "INIT" ? { tasks: [{ description: "one" }] } : { summary: "done" };
  return JSON.stringify({
    action,
    status: "success",
    message: "done",
    state_updates: updates,
    files_updated: [],
    next_action_needed: "NONE",
  });
}

export const usedUp = (resets_at: string) =>
  new LoopError("usage_limit", "Used up.", { details: { resets_at } });

/** A house with one store and one agent, in which any number of supervisors can work. */
export interface House {
  store: LoopStore;
  agent: HeldAgent;
  /** A service as another process would have it. */
  open(changes?: Partial<LoopServiceOptions>): LocalLoops;
  /** Loops that somebody started and nobody drives. */
  started(...ids: string[]): Promise<void>;
  /** The loops' statuses, `waiting` for those that do. */
  statuses(...ids: string[]): Promise<string[]>;
}

export function house(changes: Partial<LoopServiceOptions> = {}): House {
  const dir = project();
  const agent = heldAgent();
  const store = changes.store ?? memoryStore();
  const workspaces = new Map<string, Workspace>();
  const workspace = async (folder: string) => {
    const known = workspaces.get(folder) ?? { ...folderWorkspace(folder), ...worktreesIn(dir) };
    workspaces.set(folder, known);
    return known;
  };
  const open: House["open"] = (own = {}) =>
    loopService({
      store,
      agent: async () => agent,
      verifier: verifierThat("pass"),
      workspace,
      cwd: dir,
      random: () => 0.5,
      ...changes,
      ...own,
    });
  const service = open();
  return {
    store,
    agent,
    open,
    async started(...ids) {
      for (const id of ids) {
        const settings = { mode: "auto", flaky_reruns: 0, expect: "unchanged" } as const;
        await service.create({ id, description: id, settings, worktree: true });
        await service.send(id, { type: "start" });
      }
    },
    statuses: (...ids) =>
      Promise.all(
        ids.map(async (id) => {
          const { status, waiting } = await service.get(id);
          return waiting ? "waiting" : status;
        }),
      ),
  };
}

/** A folder of its own for every loop. */
function worktreesIn(dir: string): Pick<Workspace, "addWorktree" | "commitWorktree"> {
  return {
    addWorktree: async (id) => {
      const path = join(dir, id);
      mkdirSync(path);
      return { path, top: path, branch: `ccw-loop/${id}` };
    },
    commitWorktree: async () => null,
  };
}

export interface AtWork {
  notices: SupervisorNotice[];
  /** Ids of `loop.taken`, in order. */
  taken(): string[];
  drain(): Promise<void>;
}

export function atWork(
  loops: LocalLoops,
  concurrency = 4,
  more: Omit<SuperviseOptions, "signal"> = {},
): AtWork {
  const notices: SupervisorNotice[] = [];
  const end = new AbortController();
  const done = loops.supervise({
    concurrency,
    ...more,
    signal: end.signal,
    onNotice: (notice) => void notices.push(notice),
  });
  const drain = async () => {
    end.abort("drained");
    await done;
  };
  onTestFinished(drain);
  return {
    notices,
    taken: () => notices.flatMap((n) => (n.type === "loop.taken" ? [n.id] : [])),
    drain,
  };
}

/** Waits until these loops, and no others, have a turn under way. */
export async function atTurn(agent: HeldAgent, ...ids: string[]): Promise<void> {
  await vi.waitFor(() => expect([...agent.live].sort()).toEqual([...ids].sort()), {
    timeout: 10_000,
    interval: 2,
  });
}
