import type { LoopService } from "@ccw-loop/core";
import {
  followLoops,
  type Loops,
  type LoopsMessage,
  noLoops,
  pause,
  withChanged,
  withListed,
  withLooked,
} from "@ccw-loop/view";
import { loops, session } from "../parts/server.ts";
import { Store } from "../parts/store.ts";

/** Loops as they were told last; kept while other pages are looked at. */
export interface Feed {
  known: Store<Loops>;
  /** Keeps them up to date over any number of breaks, until everybody who asked for it has called it off. */
  keep: () => () => void;
}

/** The loops of the project whose page this is. */
export const own = feedOf(loops);

function told(message: LoopsMessage): (before: Loops) => Loops {
  switch (message.type) {
    case "listed":
      return (before) => withListed(before, message);
    case "looked":
      return (before) => withLooked(before, message);
    case "changed":
      return (before) => withChanged(before, message.changes);
  }
}

const AGAIN_MS = 1000;

export function feedOf(service: Pick<LoopService, "list" | "summaries" | "summaryChanges">): Feed {
  const known = new Store<Loops>(noLoops);
  const send = (message: LoopsMessage) => known.update(told(message));
  const keep = shared(() => {
    const over = new AbortController();
    const { signal } = over;
    void (async () => {
      while (!signal.aborted) {
        await followLoops({ service, send, signal }).catch(() => undefined);
        // Who is logged out need not ask.
        if (session.get() === "out") return;
        await pause(AGAIN_MS, signal);
      }
    })();
    return () => over.abort();
  });
  return { known, keep };
}

/** Begun for the first who asks, ended when all have called it off. */
export function shared(begin: () => () => void): () => () => void {
  let users = 0;
  let end = () => {};
  return () => {
    users += 1;
    if (users === 1) end = begin();
    let isOff = false;
    return () => {
      if (isOff) return;
      isOff = true;
      users -= 1;
      if (users === 0) end();
    };
  };
}
