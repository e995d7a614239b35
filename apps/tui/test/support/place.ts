import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopService } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import {
  type AgentScriptInput,
  memoryStore,
  memoryWorkspace,
  ONE_TASK,
  passingVerifier,
  scriptedAgent,
} from "@ccw-loop/testkit";
import { onTestFinished } from "vitest";
import { openTui, type TuiOptions } from "../../src/index.ts";
import { fakeTerminal } from "./fake-terminal.ts";

/** A folder that is gone after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ccw-tui-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}

/** Loops in memory, driven by an agent that plays a script. */
export function loopsInMemory(turns: AgentScriptInput["turns"] = ONE_TASK): LoopService {
  const cwd = folder();
  const agent = scriptedAgent({ script: { turns } });
  const workspace = memoryWorkspace(new Map());
  return loopService({
    store: memoryStore(),
    agent: async () => agent,
    verifier: passingVerifier(),
    workspace: async () => workspace,
    cwd,
    owner: "tui:test:1",
  });
}

/** An agent whose first DEVELOP never ends by itself. */
export const HANGING: AgentScriptInput["turns"] = [
  ...ONE_TASK.slice(0, 1),
  { action: "DEVELOP", when: "# ACTION: DEVELOP", steps: [{ say: "thinking" }, { hang: true }] },
];

/** The interface on a terminal in memory, as lines unless it is asked for frames. */
export function opened(service: LoopService, changes: Partial<TuiOptions> = {}) {
  const terminal = fakeTerminal();
  const leaving = new AbortController();
  const again = Promise.withResolvers<void>();
  const cwd = changes.cwd ?? folder();
  const left = openTui({
    ...terminal,
    service,
    place: { name: "/repo/cart", drives: true },
    env: { TERM: "xterm-256color" },
    cwd,
    plain: true,
    color: false,
    examine: async () => [],
    signal: leaving.signal,
    again: again.promise,
    ...changes,
  });
  left.catch(() => undefined);
  onTestFinished(async () => {
    leaving.abort();
    again.resolve();
    await left.catch(() => undefined);
  });
  return { ...terminal, left, leave: () => leaving.abort(), leaveAgain: () => again.resolve() };
}
