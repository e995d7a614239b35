import { composed } from "./composition.ts";
import { toldStore } from "./telling-store.ts";
import { tellParent as tell } from "./told.ts";

export interface DriverTask {
  root: string;
  leaseTtlMs: number;
  concurrency: number;
}

/** A supervisor: drives every running loop that nobody else drives, until it is killed. */
export async function drive({ root, leaseTtlMs, concurrency }: DriverTask): Promise<void> {
  const service = composed({ root, store: toldStore(root, tell), leaseTtlMs, tell });
  tell({ kind: "mark", mark: "start" });
  await service.supervise({ concurrency, signal: new AbortController().signal });
}
