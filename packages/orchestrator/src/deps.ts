import type {
  Agent,
  Clock,
  LoopObserver,
  LoopStore,
  ProcessScope,
  Repositories,
  Settings,
  Verifier,
  Workspace,
} from "@ccw-loop/core";
import type { ProjectFiles } from "./project-files.ts";
import type { SealKey } from "./proof/receipt.ts";

/** What the orchestrator works with: ports only, chosen by the composition root. */
export interface OrchestratorDeps {
  store: LoopStore;
  /** The agent that a loop's settings name. Throws `agent_unavailable` for a driver it does not know. */
  agent: (settings: Settings) => Promise<Agent>;
  /** What to say of a name that `agent` knows no driver for: `use a or b`. Undefined for one that it knows. */
  agentProblem: (name: string) => string | undefined;
  /** Other machines drive what is made here: whether an agent works is theirs to find out. */
  agentsElsewhere: boolean;
  /**
   * Why a command that an agent named may not be run where no sandbox holds it, in a few words: the stated policy by which
   * agents are answered. Null where it may. `cwd` is where the loop works.
   */
  commandProblem: (command: string, cwd: string) => Promise<string | null>;
  verifier: Verifier;
  /** Who is told of every loop that is driven here, whoever asked for that. Called when loops are about to be driven; the same each time. */
  observers: () => Promise<readonly LoopObserver[]>;
  /** The workspace of a folder: the project root, or a loop's own worktree. */
  workspace: (cwd: string) => Promise<Workspace>;
  repositories: Repositories;
  /** The project root: where the agent and the tests run, unless a loop has a worktree. */
  cwd: string;
  /** The files below `cwd` and the worktrees. */
  files: ProjectFiles;
  clock: Clock;
  /** From 0 up to 1; spreads what many would else do at the same moment. */
  random: () => number;
  /** Names this process in leases and in the journal. */
  owner: string;
  /** Time to live of a lease; it is renewed every third of it. */
  leaseTtlMs: number;
  /**
   * Ends what earlier owners of this loop left running on this machine, before anything is done under a newer lease:
   * processes of leases below `epoch`, and of owners that are gone. Resolves when none of them is alive.
   */
  endSuperseded: (scope: ProcessScope) => Promise<void>;
  /**
   * What works for this lease lives until that moment of `clock.monotonic()` at most, unless it is set again before:
   * then it is ended, also while this process is suspended. Null when the lease was given back.
   */
  keepAlive: (scope: ProcessScope, until: number | null) => Promise<void>;
  sealKey: SealKey;
  verifyTimeoutMs: number;
}
