import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type Clock,
  type LoopService,
  type LoopStore,
  tryParseJson,
  type Verifier,
  type Workspace,
} from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import {
  type AgentScriptInput,
  folderWorkspace,
  memoryStore,
  ONE_TASK,
  passingVerifier,
  scriptedAgent,
} from "@ccw-loop/testkit";
import type { Hono } from "hono";
import { onTestFinished } from "vitest";
import { type AppOptions, createApp } from "../src/index.ts";

export const TOKEN = "a-token-of-the-tests";

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON; undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at answers of every shape
  json: any;
}

/** Sends a request with the token; a `body` that is no text is sent as JSON. */
export type Ask = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<Answered>;

export interface Bench {
  service: LoopService;
  store: LoopStore;
  cwd: string;
  app: Hono;
  ask: Ask;
}

export interface Setup {
  turns?: AgentScriptInput["turns"];
  store?: (cwd: string) => LoopStore;
  verifier?: Verifier;
  clock?: Clock;
  agentProblem?: (name: string) => string | undefined;
  options?: Partial<AppOptions>;
  files?: Record<string, string>;
}

/** An app over a service with a scripted agent, in a folder that is gone after the test. */
export function bench(setup: Setup = {}): Bench {
  const cwd = mkdtempSync(join(tmpdir(), "ccw-api-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 10 }));
  for (const [path, text] of Object.entries(setup.files ?? {})) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const store = setup.store?.(cwd) ?? memoryStore();
  onTestFinished(() => store.close());
  const agent = scriptedAgent({ script: { turns: setup.turns ?? ONE_TASK }, pace: 0 });
  const workspace = withWorktrees(folderWorkspace(cwd), cwd);
  const service = loopService({
    store,
    agent: async () => agent,
    ...(setup.agentProblem ? { agentProblem: setup.agentProblem } : {}),
    verifier: setup.verifier ?? passingVerifier(),
    workspace: async () => workspace,
    cwd,
    ...(setup.clock ? { clock: setup.clock } : {}),
  });
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const app = createApp(service, {
    access: { token: TOKEN },
    signal: closing.signal,
    ...setup.options,
  });
  return { service, store, cwd, app, ask: askOf(app) };
}

export function askOf(app: Hono): Ask {
  return async (method, path, { body, headers = {} } = {}) => {
    const json = body !== undefined && typeof body !== "string";
    const response = await app.request(`http://localhost${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : String(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: tryParseJson(text) };
  };
}

/** Its worktrees are plain folders, which is all that the routes have to do with them. */
function withWorktrees(workspace: Workspace, cwd: string): Workspace {
  return {
    ...workspace,
    async addWorktree(id) {
      const path = join(cwd, ".workflow", "worktrees", id);
      mkdirSync(path, { recursive: true });
      return { path, branch: `ccw-loop/${id}`, top: path };
    },
  };
}
