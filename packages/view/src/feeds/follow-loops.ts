import { isLoopError, type ListPosition, type LoopService, type LoopState } from "@ccw-loop/core";
import type { LoopsMessage } from "../loops/loops.ts";
import { pause } from "./pause.ts";

export interface HomeFeed {
  service: Pick<LoopService, "list" | "get" | "changes">;
  send: (message: LoopsMessage) => void;
  signal: AbortSignal;
}

const PAGE = 500;
/** More than anybody looks through; those that changed longest ago are left out. */
const MOST = 20_000;
/** Four times a second. */
const TELL_MS = 250;
/** Nobody tells of a driver's death: it is looked for. */
const DRIVERS_MS = 5000;
/** So many are asked for one by one, of more the list is read again. */
const FEW = 100;

/** Reads all loops in pages and follows their changes, until the signal aborts. Throws what the service throws. */
export async function followLoops(feed: HomeFeed): Promise<void> {
  const { service, signal } = feed;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const pending = new Set<string>();
  // Listens before it reads, so that nothing changes unseen in between.
  const listening = (async () => {
    for await (const id of service.changes(until)) pending.add(id);
  })();
  const telling = (async () => {
    await readAll(feed, until);
    while (!until.aborted) {
      await pause(TELL_MS, until);
      if (pending.size === 0 || until.aborted) continue;
      const ids = [...pending];
      pending.clear();
      if (ids.length > FEW) await readAll(feed, until);
      else for (const id of ids) await tell(feed, id);
    }
  })();
  const looking = lookForDrivers(feed, until);
  try {
    await Promise.race([listening, telling, looking]);
  } finally {
    over.abort();
    await Promise.allSettled([listening, telling, looking]);
  }
}

/** Tells now and then which of the running loops nobody drives; of very many only those that changed last. */
async function lookForDrivers({ service, send }: HomeFeed, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const { undriven } = await service.list({ status: "running", limit: PAGE });
    if (until.aborted) return;
    send({ type: "undriven", since: new Map(undriven.map(({ id, since }) => [id, since])) });
    await pause(DRIVERS_MS, until);
  }
}

async function readAll({ service, send }: HomeFeed, signal: AbortSignal): Promise<void> {
  const ids = new Set<string>();
  let after: ListPosition | undefined;
  while (!signal.aborted) {
    const { loops, total, damaged } = await service.list({
      limit: PAGE,
      ...(after ? { after } : {}),
    });
    const states = loops.map(({ state }) => state);
    for (const { loop_id } of states) ids.add(loop_id);
    const last = states.at(-1);
    const complete = last === undefined || loops.length < PAGE || ids.size >= MOST;
    if (signal.aborted) return;
    send({ type: "listed", states, total, damaged, complete, ...(complete ? { ids } : {}) });
    if (complete) return;
    after = { updated_at: last.updated_at, loop_id: last.loop_id };
    await pause(0);
  }
}

async function tell({ service, send, signal }: HomeFeed, id: string): Promise<void> {
  let state: LoopState | null = null;
  try {
    state = await service.get(id);
  } catch (error) {
    if (isLoopError(error, "store_corrupt")) return tellDamaged({ service, send, signal });
    if (!isLoopError(error, "loop_not_found", "invalid_id")) throw error;
  }
  if (!signal.aborted) send({ type: "changed", id, state });
}

/** What cannot be read is told by the list alone. */
async function tellDamaged({ service, send }: HomeFeed): Promise<void> {
  const { loops, total, damaged } = await service.list({ limit: 1 });
  const states = loops.map(({ state }) => state);
  send({ type: "listed", states, total, damaged, complete: true });
}
