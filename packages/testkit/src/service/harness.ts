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
import type { AgentScriptInput } from "../agent/script-schema.ts";

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

export type WithService = (
  use: (bench: ServiceTest) => Promise<void>,
  setup?: ServiceTestOptions,
) => Promise<void>;
