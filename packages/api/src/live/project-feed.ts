import {
  isLoopError,
  type ListPosition,
  type LoopService,
  type LoopState,
  orOn,
  type RecordedEvent,
} from "@ccw-loop/core";
import type { LiveContext } from "./context.ts";

/** What became of one loop since the last look at it. */
export interface LoopChange {
  id: string;
  /** Null when it was deleted. */
  state: LoopState | null;
  /** In order; whole commits. */
  facts: RecordedEvent[];
}

export type ProjectFeed = Awaited<ReturnType<typeof projectFeed>>;

const PAGE = 500;
const CLOCKS_APART_MS = 60_000;
/** After a loop could not be read it is looked at again. */
const AGAIN_MS = 1000;

export async function projectFeed(context: LiveContext, signal: AbortSignal) {
  const { service, clock } = context;
  const known = new Map<string, { revision: number; running: boolean }>();
  // Listens before it looks, so that nothing happens unseen in between.
  const changes = service.changes(signal);
  const begun = new Date(clock.now().getTime() - CLOCKS_APART_MS).toISOString();
  // Loops that change meanwhile change their place in the list, too: a second look finds them.
  for (const since of ["", begun]) {
    for await (const state of everyLoop(service, since)) {
      if (!known.has(state.loop_id)) remember(state.loop_id, state, state.revision ?? 0);
    }
  }

  function remember(id: string, { status }: LoopState, revision: number): void {
    known.set(id, { revision, running: status === "running" });
  }

  async function* look(id: string): AsyncGenerator<LoopChange> {
    const state = await orOn(service.get(id), ["loop_not_found", "invalid_id"], null);
    const before = known.get(id)?.revision ?? 0;
    const again = state !== null && (state.revision ?? 0) < before;
    if ((state === null || again) && known.delete(id)) yield { id, state: null, facts: [] };
    if (state === null) return;
    const facts = await Array.fromAsync(service.events(id, again ? 0 : before));
    remember(id, state, facts.at(-1)?.revision ?? before);
    if (facts.length > 0) yield { id, state, facts };
  }

  return {
    /** Loops that were running when they were last looked at. */
    running: () => [...known].flatMap(([id, { running }]) => (running ? [id] : [])),
    /** Calls `changed` until the signal aborts, or the service tells of changes no more. */
    async follow(changed: (change: LoopChange) => void): Promise<void> {
      /** What is damaged now may be mended, and what was deleted in the middle of a look is gone at the next one. */
      const lookAt = async (id: string): Promise<void> => {
        try {
          for await (const change of look(id)) changed(change);
        } catch (error) {
          if (!isLoopError(error, "store_corrupt")) void lookAgain(id);
        }
      };
      const lookAgain = async (id: string): Promise<void> => {
        await clock.sleep(AGAIN_MS, signal);
        if (!signal.aborted) await lookAt(id);
      };
      for await (const id of changes) await lookAt(id);
    },
  };
}

/** The newest first; with `since` (RFC 3339) only those that changed since then. */
export async function* everyLoop(service: LoopService, since = ""): AsyncGenerator<LoopState> {
  let after: ListPosition | undefined;
  for (;;) {
    const page = await service.list({ limit: PAGE, ...(after ? { after } : {}) });
    for (const { state } of page.loops) {
      if (state.updated_at < since) return;
      yield state;
    }
    const last = page.loops.at(-1)?.state;
    if (!last || page.loops.length < PAGE) return;
    after = last;
  }
}
