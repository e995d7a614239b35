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

/** All loops as they were told last; kept while other pages are looked at. */
export const known = new Store<Loops>(noLoops);

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

let users = 0;
let stop = () => {};

/** Keeps the loops up to date over any number of breaks, until everybody who asked for it has called it off. */
export function keepLoops(): () => void {
  users += 1;
  if (users === 1) stop = begin();
  let isOff = false;
  return () => {
    if (isOff) return;
    isOff = true;
    users -= 1;
    if (users === 0) stop();
  };
}

function begin(): () => void {
  const over = new AbortController();
  const { signal } = over;
  const send = (message: LoopsMessage) => known.update(told(message));
  void (async () => {
    while (!signal.aborted) {
      await followLoops({ service: loops, send, signal }).catch(() => undefined);
      // Who is logged out need not ask.
      if (session.get() === "out") return;
      await pause(AGAIN_MS, signal);
    }
  })();
  return () => over.abort();
}
