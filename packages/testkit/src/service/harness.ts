import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  Agent,
  LoopService,
  LoopState,
  LoopStore,
  NewLoop,
  Settings,
  Verifier,
  Workspace,
} from "@ccw-loop/core";
import { type AgentScriptInput, ONE_TASK } from "../agent/script-schema.ts";
import { scriptedAgent } from "../agent/scripted-agent.ts";
import { memoryStore } from "../store/memory-store.ts";
import { tempRepo, writeFiles } from "../temp-folders.ts";
import { passingVerifier } from "../verifier/samples.ts";
import { folderWorkspace } from "../workspace/folder-workspace.ts";

/** What a local service works with. */
export interface ServicePorts {
  store: LoopStore;
  agent: (settings: Settings) => Promise<Agent>;
  verifier: Verifier;
  workspace: (cwd: string) => Promise<Workspace>;
  cwd: string;
}

export interface OpenedService {
  service: LoopService;
  close(): Promise<void>;
}

export interface LoopServiceHarness {
  /** With `drives` somebody stands behind the service who drives what runs, where `run` does not do so itself. */
  open(ports: ServicePorts, options: { drives: boolean }): Promise<OpenedService>;
  /** A workspace with worktrees for a folder of a git repository. */
  workspace(cwd: string): Promise<Workspace>;
  /** A fresh store for a project; in memory unless given. */
  store?(cwd: string): LoopStore;
  /**
   * `run` follows whoever drives the loop already, as somebody does who asks from elsewhere; else it is refused with
   * `loop_busy`.
   */
  joins?: boolean;
}

export interface ServiceTestOptions {
  turns?: AgentScriptInput["turns"];
  /** A git repository with one commit; else a plain folder without worktrees. */
  git?: boolean;
  /** Running loops are driven. */
  drives?: boolean;
  /** There is a new loop `a`. */
  loop?: boolean;
}

/** What a test of the contract works with. */
export interface ServiceTest {
  service: LoopService;
  store: LoopStore;
  cwd: string;
  harness: LoopServiceHarness;
  /** A new loop in auto mode. */
  make(spec?: Partial<NewLoop>): Promise<LoopState>;
}

export type WithService = (use: (bench: ServiceTest) => Promise<void>) => Promise<void>;
export type ServiceWith = (setup?: ServiceTestOptions) => WithService;

/** Gives each test a service of its own, over ports of its own. */
export function serviceOf(harness: LoopServiceHarness): ServiceWith {
  return (setup = {}) =>
    (use) =>
      serve(harness, setup, use);
}

async function serve(
  harness: LoopServiceHarness,
  { turns = ONE_TASK, git = false, drives = false, loop = false }: ServiceTestOptions,
  use: (bench: ServiceTest) => Promise<void>,
): Promise<void> {
  const cwd = git ? (await tempRepo({ "a.js": "1" })).path : await folder();
  const store = harness.store?.(cwd) ?? memoryStore();
  const agent = scriptedAgent({ script: { turns }, pace: 0, home: join(cwd, ".workflow/agent") });
  const plain = folderWorkspace(cwd);
  const workspace = async (of: string): Promise<Workspace> => (git ? harness.workspace(of) : plain);
  const ports = { store, agent: async () => agent, verifier: passingVerifier(), workspace, cwd };
  const { service, close } = await harness.open(ports, { drives });
  const settings = { mode: "auto", flaky_reruns: 0, expect: "unchanged" } as const;
  const make = (spec = {}) => service.create({ description: "Add a flag", settings, ...spec });
  try {
    if (loop) await make({ id: "a" });
    await use({ service, store, cwd, harness, make });
  } finally {
    await close();
    await store.close();
    for (const place of [cwd, `${cwd}.worktrees`]) {
      await rm(place, { recursive: true, force: true, maxRetries: 10 });
    }
  }
}

async function folder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), "ccw-loop-service-")));
}

/** An issue of a project, with its solutions. */
export async function makeIssue(
  cwd: string,
  issue: { id: string; bound_solution_id?: string },
  solutions: readonly object[],
): Promise<void> {
  const lines = solutions.map((one) => JSON.stringify(one)).join("\n");
  await writeFiles(join(cwd, ".workflow", "issues"), {
    "issues.jsonl": JSON.stringify(issue),
    [`solutions/${issue.id}.jsonl`]: lines,
  });
}
