import type { LoopCommand, TimelineEntry } from "@ccw-loop/core";
import {
  COMMAND_WORDS,
  emptyAgentLog,
  type FollowedLoop,
  type FollowedMessage,
  followLoop,
  newFollowedLoop,
  pause,
  spentByTurn,
  statusSummary,
  type TestGrid,
  testGrid,
  withEvents,
  withPast,
} from "@ccw-loop/view";
import { useEffect, useMemo, useState } from "react";
import { tell, tellError } from "../parts/notice.tsx";
import { loops } from "../parts/server.ts";
import { Store, useStore } from "../parts/store.ts";
import { useVisible } from "../parts/visible.ts";

function told(before: FollowedLoop, message: FollowedMessage): FollowedLoop {
  switch (message.type) {
    case "opened":
      return withPast(before, message);
    case "happened":
      return withEvents(before, message);
    case "unopened":
      return { ...before, gone: message.reason };
  }
}

/** How often it is asked who drives the loop: nobody tells of a driver's death. */
const DRIVER_MS = 5000;

/** A loop with its past and everything that happens to it from now on, over any number of breaks. */
export function useLoop(id: string): FollowedLoop {
  const store = useMemo(() => new Store(newFollowedLoop(id)), [id]);
  const visible = useVisible();
  useEffect(() => {
    if (!visible) return;
    const over = new AbortController();
    const { signal } = over;
    let isFirst = true;
    const send = (message: FollowedMessage) => {
      // What is told from the beginning again takes the place of what is there.
      if (isFirst) store.update((before) => ({ ...before, log: emptyAgentLog }));
      isFirst = false;
      store.update((before) => told(before, message));
    };
    void followLoop(id, { service: loops, send, lost: () => undefined, signal });
    void (async () => {
      for (; !signal.aborted; await pause(DRIVER_MS, signal)) {
        const driver = await loops.why(id).catch(() => undefined);
        if (driver !== undefined) store.update((before) => ({ ...before, driver }));
      }
    })();
    return () => over.abort();
  }, [id, store, visible]);
  return useStore(store);
}

export interface Past {
  entries: TimelineEntry[];
  grid: TestGrid;
  /** In US dollars, turn by turn. */
  spent: number[];
}

/** Its past as the server tells it, read again whenever an action has ended; null before that. */
export function usePast(id: string, actions: number) {
  const [past, setPast] = useState<Past | null>(null);
  useEffect(() => {
    let isOver = false;
    void (async () => {
      const [entries, recorded] = await Promise.all([
        loops.timeline(id),
        Array.fromAsync(loops.events(id)),
      ]);
      if (!isOver) setPast({ entries, grid: testGrid(recorded), spent: spentByTurn(recorded) });
    })().catch((error: unknown) => isOver || tellError(error));
    return () => {
      isOver = true;
    };
  }, [id, actions]);
  return past;
}

/** Gives the loop a command and says how it stands then. Throws when it is refused. */
export async function command(
  id: string,
  asked: LoopCommand,
  revision?: number | undefined,
): Promise<void> {
  const state = await loops.send(id, asked, { revision });
  const word = COMMAND_WORDS[asked.type] ?? "Done";
  tell("good", `${word}: the loop is ${statusSummary(state, new Date())}.`);
}
