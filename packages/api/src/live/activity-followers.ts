import type { Activity } from "@ccw-loop/core";
import type { LiveContext } from "./context.ts";
import type { LoopChange, ProjectFeed } from "./project-feed.ts";

/** The last lines of a log come a little after the fact that ended the work. */
const LINGER_MS = 1000;

/** Follows what the agents of running loops do, while somebody wants it. */
export function activityFollowers(
  { service, clock }: LiveContext,
  feed: ProjectFeed,
  onActivity: (id: string, activity: Activity) => void,
) {
  const open = new Map<string, AbortController>();
  let wanted = 0;

  async function begin(id: string, since: string): Promise<void> {
    if (open.has(id)) return;
    const stop = new AbortController();
    const { signal } = stop;
    open.set(id, stop);
    try {
      for await (const event of service.watch(id, { since, signal })) {
        if (event.kind === "activity" && !signal.aborted) onActivity(id, event.activity);
      }
    } catch {
      // It is followed again when it changes.
    }
    if (open.get(id) === stop) open.delete(id);
  }

  async function end(id: string): Promise<void> {
    const stop = open.get(id);
    if (!stop) return;
    await clock.sleep(LINGER_MS, stop.signal);
    if (feed.running().includes(id)) return;
    stop.abort();
    if (open.get(id) === stop) open.delete(id);
  }

  function close(): void {
    for (const stop of open.values()) stop.abort();
    open.clear();
  }

  return {
    /** Returns what ends the wish. */
    want(): () => void {
      wanted += 1;
      const now = clock.now().toISOString();
      if (wanted === 1) for (const id of feed.running()) void begin(id, now);
      return () => {
        wanted -= 1;
        if (wanted === 0) close();
      };
    },
    changed({ id, state, facts }: LoopChange): void {
      if (wanted === 0) return;
      const since = facts[0]?.event.at ?? clock.now().toISOString();
      void (state?.status === "running" ? begin(id, since) : end(id));
    },
    close,
  };
}
