import { LoopError, type Workspace } from "@ccw-loop/core";
import { memoryClaims, memoryWorkspace, type Random } from "@ccw-loop/testkit";
import type { ProjectFiles } from "../../../../packages/orchestrator/src/project-files.ts";
import type { Scheduler } from "../world/scheduler.ts";
import type { SimProcess } from "../world/sim-process.ts";

/** What a project can do beside its own files: worktrees, where the seed gives it git. */
export type Worktrees = Pick<
  Workspace,
  "addWorktree" | "removeWorktree" | "commitWorktree" | "worktrees"
>;

/** The files that agents work on. Its tests pass while no file has a bug. */
export class Project {
  readonly files = new Map([["cart.js", "bug 0"]]);
  /** Every tree there was, by the moment from which on. */
  readonly trees: { at: number; tree: string }[] = [];
  /** Trees that the tests were run on, and passed. */
  readonly proven = new Set<string>();
  readonly #kept: Workspace = memoryWorkspace(this.files);
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #claims: ReturnType<typeof memoryClaims>;
  readonly #worktrees: Worktrees;
  #tree = "";
  #edits = 0;

  constructor(scheduler: Scheduler, random: Random, worktrees: Worktrees) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#claims = memoryClaims(() => scheduler.now);
    this.#worktrees = worktrees;
    if (random.chance(0.4)) this.files.set("cart.js", "fine 0");
    this.#changed();
  }

  get tree(): string {
    return this.#tree;
  }

  get passes(): boolean {
    return ![...this.files.values()].some((text) => text.startsWith("bug"));
  }

  edit(path: string, good: boolean): void {
    this.#edits += 1;
    this.files.set(path, `${good ? "fine" : "bug"} ${this.#edits}`);
    this.#changed();
  }

  /** Whether the files were these at any moment since then. */
  wasThere(tree: string, since: number): boolean {
    const before = this.trees.findLastIndex(({ at }) => at <= since);
    return this.trees.slice(Math.max(0, before)).some((one) => one.tree === tree);
  }

  /** Every bug of somebody's is taken out. */
  repair(): void {
    for (const path of this.files.keys()) this.edit(path, true);
  }

  /** As one process sees it: nothing is answered at once. */
  workspace(process: SimProcess): Workspace {
    const pass = () => this.#scheduler.pass(process, this.#random.next() * 4);
    const kept = this.#kept;
    const claiming = this.#claims(() => process.alive);
    return {
      ...kept,
      async claim(holder, ttlMs) {
        await pass();
        const claim = await claiming.claim(holder, ttlMs);
        return {
          takenFrom: claim.takenFrom,
          renew: () => pass().then(claim.renew),
          release: () => pass().then(claim.release),
          giveBack: () => pass().then(claim.giveBack),
        };
      },
      async holder() {
        await pass();
        return claiming.holder();
      },
      ...this.#worktrees,
      tree: async () => {
        process.measuredAt = this.#scheduler.now;
        await pass();
        return kept.tree();
      },
      async changes(from, to) {
        await pass();
        return kept.changes(from, to);
      },
      async checkpoint(...args) {
        await pass();
        return kept.checkpoint(...args);
      },
    };
  }

  #changed(): void {
    this.#tree = "";
    void this.#kept.tree().then((tree) => {
      this.#tree = tree;
      this.trees.push({ at: this.#scheduler.now, tree });
    });
  }
}

/** Worktrees that are folders of `projects`; null for a project without git. */
export function worktreesIn(
  projects: Map<string, Project>,
  make: (() => Project) | null,
): Worktrees {
  const pathOf = (id: string) => `${WORKTREES}/${id}`;
  const useOf = (id: string) => ({ path: pathOf(id), top: pathOf(id), branch: `ccw-loop/${id}` });
  return {
    async addWorktree(id) {
      if (make === null) throw new LoopError("invalid_input", "Without git there are none.");
      if (projects.has(pathOf(id))) throw new LoopError("invalid_input", `${id} has one already.`);
      projects.set(pathOf(id), make());
      return useOf(id);
    },
    async removeWorktree(id) {
      projects.delete(pathOf(id));
    },
    commitWorktree: async () => null,
    worktrees: async () =>
      [...projects.keys()].flatMap((path) => {
        if (!path.startsWith(`${WORKTREES}/`)) return [];
        const id = path.slice(WORKTREES.length + 1);
        return [{ id, ...useOf(id), bytes: 0, dirty: false, made_at: null }];
      }),
  };
}

const WORKTREES = "/p.worktrees";

/** A project without overrides of prompts or files that prompts name; contents are the workspace's. */
export const noFiles: ProjectFiles = {
  text: async () => null,
  exists: async () => false,
  isFolder: async () => false,
  bytes: async () => null,
  write: async () => undefined,
  remove: async () => undefined,
  inTemporary: (use) => use("/temporary"),
  outputsIn: async () => [],
};
