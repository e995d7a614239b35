import { setTimeout as delay } from "node:timers/promises";
import { start, type Worker } from "../start.ts";
import type { Told } from "../workers/told.ts";
import { type KillPlan, longestMs } from "./plan.ts";

/** How a worker's life went. */
export interface Life {
  /** It was killed, and did not end by itself. */
  killed: boolean;
  suspended: boolean;
  /** What it wrote on stderr when it ended by itself. */
  complaint: string;
}

/** On a machine with too much to do. */
const STARTS_WITHIN_MS = 20_000;

/** Starts a worker and kills it as planned; everything it told has been heard when this resolves. */
export async function live(
  worker: Worker,
  plan: KillPlan,
  hear: (told: Told) => void,
): Promise<Life> {
  const due = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let left = plan.nth;
  const { child, gone, complaint } = start(worker, (told) => {
    hear(told);
    if (told.kind !== "mark") return;
    begun.resolve();
    if (told.mark === plan.mark && --left === 0) due.resolve();
  });
  if (plan.mark === null) due.resolve();
  const over = new AbortController();
  void gone.then(() => over.abort());
  const wait = (ms: number) => delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  if (plan.mark !== null) await Promise.race([begun.promise, wait(STARTS_WITHIN_MS)]);
  await Promise.race([due.promise, wait(longestMs())]);
  await wait(plan.after);
  let suspended = false;
  if (plan.suspended) {
    suspended = child.kill("SIGSTOP");
    await wait(plan.suspended.sleeps);
    child.kill("SIGCONT");
    await wait(plan.suspended.wakes);
  }
  child.kill("SIGKILL");
  const killed = (await gone).signal === "SIGKILL";
  over.abort();
  return { killed, suspended, complaint: killed ? "" : complaint() };
}
