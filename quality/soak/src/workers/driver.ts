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
