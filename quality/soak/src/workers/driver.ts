import { composed, reportingStore } from "./composition.ts";
import { sendToParent as send } from "./messages.ts";

export interface DriverTask {
  root: string;
  leaseTtlMs: number;
  concurrency: number;
}

/** A supervisor: drives every running loop that nobody else drives, until it is killed. */
export async function drive({ root, leaseTtlMs, concurrency }: DriverTask): Promise<void> {
  const service = composed({ root, store: reportingStore(root, send), leaseTtlMs, send });
  send({ kind: "mark", mark: "start" });
  await service.supervise({ concurrency, signal: new AbortController().signal });
}

/** Changes the status of every loop without a pause, each in its own time, until it is killed. */
export async function keepBusy({ root, loops }: { root: string; loops: string[] }): Promise<void> {
  const store = reportingStore(root, send);
  const service = composed({ root, store, leaseTtlMs: 15_000, send });
  const forEver = async (id: string) => {
    for (;;) {
      const { status } = await service.get(id);
      await service.send(id, { type: status === "running" ? "pause" : "start" });
    }
  };
  send({ kind: "mark", mark: "start" });
  await Promise.all(loops.map(forEver));
}
