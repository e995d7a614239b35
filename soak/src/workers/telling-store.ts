import type { LoopStore } from "../../../packages/core/src/index.ts";
import { fsStore } from "../../../packages/store-fs/src/index.ts";
import { factsOf, type Tell } from "./told.ts";

/** The store of a project as every worker uses it: the default durability, everything told. */
export function toldStore(root: string, tell: Tell): LoopStore {
  const onWarning = ({ id, message }: { id: string; message: string }) =>
    tell({ kind: "warning", message: `${id}: ${message}` });
  return tellingStore(fsStore({ root, onWarning }), tell);
}

/** The same store; tells of every commit once its promise has resolved, and before what it is about to do. */
function tellingStore(store: LoopStore, tell: Tell): LoopStore {
  return {
    ...store,
    async append(id, revision, events, options) {
      tell({ kind: "mark", mark: "commit" });
      try {
        const stored = await store.append(id, revision, events, options);
        if (events.length > 0) {
          tell({ kind: "commit", loop: id, revision: stored.revision, facts: factsOf(events) });
        }
        return stored;
      } finally {
        tell({ kind: "settled" });
      }
    },
    async claim(id, owner, ttlMs) {
      tell({ kind: "mark", mark: "claim" });
      const lease = await store.claim(id, owner, ttlMs);
      tell({ kind: "lease", loop: id });
      return lease;
    },
  };
}
