import { composed } from "./composition.ts";
import { toldStore } from "./telling-store.ts";
import { tellParent as tell } from "./told.ts";

/** Changes the status of every loop without a pause, each in its own time, until it is killed. */
export async function keepBusy({ root, loops }: { root: string; loops: string[] }): Promise<void> {
  const store = toldStore(root, tell);
  const service = composed({ root, store, leaseTtlMs: 15_000, tell });
  const forEver = async (id: string) => {
    for (;;) {
      const { status } = await service.get(id);
      await service.send(id, { type: status === "running" ? "pause" : "start" });
    }
  };
  tell({ kind: "mark", mark: "start" });
  await Promise.all(loops.map(forEver));
}
