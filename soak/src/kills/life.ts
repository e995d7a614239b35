import { setTimeout as delay } from "node:timers/promises";
import { start, type Worker } from "../start.ts";
import type { Told } from "../workers/told.ts";
import type { KillPlan } from "./plan.ts";

/** How a worker's life went. */
export interface Life {
  /** It was killed, and did not end by itself. */
  killed: boolean;
  /** While a commit of it was under way. */
  inCommit: boolean;
  /** It stood still until somebody else had a lease that it had before, and was woken then. */
  overtaken: boolean;
  /** What it wrote on stderr when it ended by itself. */
  complaint: string;
}

/** What the workers of one project share. */
export interface Stage {
  /** Who was last given the lease of each loop: what to call when somebody else is given it. */
  holders: Map<string, () => void>;
  /** Resolves when the worker that stands still now wakes; who is to take over from it may not be killed before. */
  standing: Promise<void> | null;
}

/** On a machine with too much to do. */
const STARTS_WITHIN_MS = 20_000;

/** Starts a worker and kills it as planned; everything it told has been heard when this resolves. */
export async function live(
  worker: Worker,
  plan: KillPlan,
  stage: Stage,
  hear: (told: Told) => void,
): Promise<Life> {
  const due = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<true>();
  const life: Life = { killed: false, inCommit: false, overtaken: false, complaint: "" };
  let [left, commits] = [plan.nth, 0];
  let isStill = false;
  const lose = () => {
    if (isStill) lost.resolve(true);
  };
  const { child, gone, complaint } = start(worker, (told) => {
    hear(told);
    if (told.kind === "settled") commits -= 1;
    if (told.kind === "lease") {
      const before = stage.holders.get(told.loop);
      stage.holders.set(told.loop, lose);
      if (before !== lose) before?.();
    }
    if (told.kind !== "mark") return;
    if (told.mark === "commit") commits += 1;
    begun.resolve();
    if (told.mark === plan.mark && --left === 0) due.resolve();
  });
  if (plan.mark === null) due.resolve();
  const over = new AbortController();
  void gone.then(() => over.abort());
  const wait = (ms: number) => delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  if (plan.mark !== null) await Promise.race([begun.promise, wait(STARTS_WITHIN_MS)]);
  await Promise.race([due.promise, wait(plan.longest)]);
  await wait(plan.after);
  // Two that stand still would wait for each other.
  if (plan.suspended && !stage.standing) {
    const wakes = Promise.withResolvers<void>();
    stage.standing = wakes.promise;
    isStill = child.kill("SIGSTOP");
    life.overtaken = (await Promise.race([lost.promise, wait(plan.longest)])) ?? false;
    await wait(plan.suspended.sleeps);
    child.kill("SIGCONT");
    isStill = false;
    stage.standing = null;
    wakes.resolve();
    await wait(plan.suspended.wakes);
  } else if (worker.role === "driver") await Promise.race([stage.standing, gone]);
  child.kill("SIGKILL");
  life.killed = (await gone).signal === "SIGKILL";
  life.inCommit = commits > 0;
  over.abort();
  return { ...life, complaint: life.killed ? "" : complaint() };
}
