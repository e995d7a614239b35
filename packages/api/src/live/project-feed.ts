import { isLoopError, type ListPosition, type LoopState, type RecordedEvent } from "@ccw-loop/core";
import type { Hub } from "./hub.ts";

/** What became of one loop since the last look at it. */
export interface LoopChange {
  id: string;
  /** Null when it was deleted. */
  state: LoopState | null;
  /** In order; whole commits. */
  facts: RecordedEvent[];
}

/** The changes of all loops of a project, from now on. */
export interface Feed {
  /** Loops that were running when they were last looked at. */
  running(): string[];
  /** `ended`: there is nothing more to follow. */
  subscribe(changed: (change: LoopChange) => void, ended: () => void): () => void;
  close(): void;
}

const PAGE = 500;
const CLOCKS_APART_MS = 60_000;
/** After a loop could not be read it is looked at again. */
const AGAIN_MS = 1000;

/** `ended` is called when the service tells of changes no more. */
export async function projectFeed(hub: Hub, ended: () => void): Promise<Feed> {
  const { service, clock } = hub;
  const stop = new AbortController();
  const known = new Map<string, { revision: number; running: boolean }>();
  const subscribers = new Map<(change: LoopChange) => void, () => void>();
  // Listens before it looks, so that nothing happens unseen in between.
  const changes = service.changes(stop.signal);
  const begun = new Date(clock.now().getTime() - CLOCKS_APART_MS).toISOString();
  // Loops that change meanwhile change their place in the list, too: a second look finds them.
  for (const since of ["", begun]) {
    for await (const state of everyLoop(hub, since)) {
      if (!known.has(state.loop_id)) remember(state.loop_id, state, state.revision ?? 0);
    }
  }

  function remember(id: string, { status }: LoopState, revision: number): void {
    known.set(id, { revision, running: status === "running" });
  }

  function tell(change: LoopChange): void {
    for (const changed of [...subscribers.keys()]) changed(change);
  }

  async function look(id: string): Promise<void> {
    const state = await stateOf(id);
    const before = known.get(id)?.revision ?? 0;
    const again = state !== null && (state.revision ?? 0) < before;
    if ((state === null || again) && known.delete(id)) tell({ id, state: null, facts: [] });
    if (state === null) return;
    const facts: RecordedEvent[] = [];
    for await (const fact of service.events(id, again ? 0 : before)) facts.push(fact);
    remember(id, state, facts.at(-1)?.revision ?? before);
    if (facts.length > 0) tell({ id, state, facts });
  }

  async function stateOf(id: string): Promise<LoopState | null> {
    try {
      return await service.get(id);
    } catch (error) {
      if (isLoopError(error, "loop_not_found", "invalid_id")) return null;
      throw error;
    }
  }

  async function lookAgain(id: string): Promise<void> {
    await clock.sleep(AGAIN_MS, stop.signal);
    if (!stop.signal.aborted) await lookAt(id);
  }

  /** What is damaged now may be mended, and what was deleted in the middle of a look is gone at the next one. */
  async function lookAt(id: string): Promise<void> {
    await look(id).catch((error: unknown) => {
      if (!isLoopError(error, "store_corrupt")) void lookAgain(id);
    });
  }

  async function follow(): Promise<void> {
    for await (const id of changes) await lookAt(id);
  }

  function finish(): void {
    ended();
    if (stop.signal.aborted) return;
    stop.abort();
    for (const over of [...subscribers.values()]) over();
  }

  void follow().then(finish, finish);

  return {
    running: () => [...known].flatMap(([id, { running }]) => (running ? [id] : [])),
    subscribe(changed, over) {
      subscribers.set(changed, over);
      return () => subscribers.delete(changed);
    },
    close: () => stop.abort(),
  };
}

/** The newest first; with `since` (RFC 3339) only those that changed since then. */
export async function* everyLoop(hub: Hub, since = ""): AsyncGenerator<LoopState> {
  let after: ListPosition | undefined;
  for (;;) {
    const page = await hub.service.list({ limit: PAGE, ...(after ? { after } : {}) });
    for (const { state } of page.loops) {
      if (state.updated_at < since) return;
      yield state;
    }
    const last = page.loops.at(-1)?.state;
    if (!last || page.loops.length < PAGE) return;
    after = { updated_at: last.updated_at, loop_id: last.loop_id };
  }
}
