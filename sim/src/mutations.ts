import {
  isLoopError,
  type LoopStore,
  type ProcessScope,
  type StoredLoop,
  type Workspace,
} from "../../packages/core/src/index.ts";
import type { Disk } from "../../packages/store-fs/src/disk/disk.ts";
import type { Project } from "./ports/project.ts";
import type { World } from "./world/world.ts";

/** A defect that is put into the product on purpose, to see whether the simulation finds it. */
export interface Mutation {
  disk(disk: Disk): Disk;
  store(store: LoopStore): LoopStore;
  workspace(workspace: Workspace, world: World, project: Project): Workspace;
  endEarlier?: (scope: ProcessScope) => Promise<void>;
  /** What the store believes of the life of every other process. */
  lives?: boolean;
}

export const NO_MUTATION: Mutation = {
  disk: (disk) => disk,
  store: (store) => store,
  workspace: (workspace) => workspace,
};

const broken = (defect: Partial<Mutation>): Mutation => ({ ...NO_MUTATION, ...defect });

/** By what is broken, and how. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "store: acknowledges before the link is synced": broken({
    disk: (disk) => ({ ...disk, syncFolder: async () => undefined }),
  }),
  "store: ignores a revision conflict": broken({
    store: (store) => ({
      ...store,
      append: (id, revision, events, options) =>
        store.append(id, revision, events, options).catch(async (error: unknown) => {
          if (!isLoopError(error, "revision_conflict")) throw error;
          return store.append(id, (await store.read(id)).revision, events, options);
        }),
    }),
  }),
  "store: forgets op ids": broken({
    store: (store) => ({
      ...store,
      append: (id, revision, events, { opId: _, ...options }) =>
        store.append(id, revision, events, options),
    }),
  }),
  "lease: claims what a living process holds": broken({ lives: false }),
  "lease: accepts commits of an old epoch": broken({
    store: (store) => ({
      ...store,
      append: (id, revision, events, { epoch: _, ...options }) =>
        store.append(id, revision, events, options),
    }),
  }),
  "lease: renews what was lost": broken({
    store: (store) => ({
      ...store,
      renew: (lease) =>
        store.renew(lease).catch((error: unknown) => {
          if (!isLoopError(error, "fenced")) throw error;
        }),
    }),
  }),
  "limit: does not count turns": broken({
    store: (store) => telling(store, unused),
  }),
  "limit: ignores the bound of iterations": broken({
    store: (store) => telling(store, boundless),
  }),
  "control: does not hear a pause during a turn": broken({
    store: (store) => ({
      ...store,
      watch: (id, signal) => (id === undefined ? store.watch(id, signal) : silence(signal)),
    }),
  }),
  "control: accepts the receipt of other files": broken({ workspace: rememberingTree }),
  "files: lets two loops work in one folder": broken({ workspace: unclaimed }),
  "control: leaves the agents of dead owners alive": broken({ endEarlier: async () => undefined }),
};

/** Tells another state than the one that is kept. */
function telling(store: LoopStore, change: (stored: StoredLoop) => StoredLoop): LoopStore {
  return {
    ...store,
    read: async (id) => change(await store.read(id)),
    append: async (...args) => change(await store.append(...args)),
  };
}

function boundless({ state, revision }: StoredLoop): StoredLoop {
  return { state: { ...state, max_iterations: 1000 }, revision };
}

function unused({ state, revision }: StoredLoop): StoredLoop {
  const { usage, ...rest } = state;
  return { state: { ...rest, ...(usage ? { usage: { ...usage, turns: 0 } } : {}) }, revision };
}

async function* silence(signal: AbortSignal): AsyncIterable<string> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/** Gives the files to everybody who claims them. */
function unclaimed(workspace: Workspace): Workspace {
  return {
    ...workspace,
    claim: async () => ({
      takenFrom: null,
      renew: async () => undefined,
      release: async () => undefined,
    }),
    holder: async () => null,
  };
}

/** Tells the last measurement until something of ours runs: what a person changes meanwhile goes unseen. */
function rememberingTree(workspace: Workspace, { children }: World, project: Project): Workspace {
  return {
    ...workspace,
    async tree() {
      const [ran, tree] = [children.all.length, await workspace.tree()];
      if (project.remembered?.ran !== ran) project.remembered = { ran, tree };
      return project.remembered.tree;
    },
  };
}
