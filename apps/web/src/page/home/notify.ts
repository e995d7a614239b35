import { HEALTH_WORDS, type Health, type LoopRow, type Loops, rowStatus } from "@ccw-loop/view";
import { goTo } from "../parts/router.tsx";
import { Store } from "../parts/store.ts";
import { everywhere, keepEverywhere, placeOf } from "./everywhere.ts";

const KEPT_AS = "ccw-loop notifications";

/** Whether this browser is to be told by notifications; `blocked` where it refuses them. */
export type Notifying = "on" | "off" | "blocked" | "unknown here";

export const notifying = new Store<Notifying>(now());

function now(): Notifying {
  if (!("Notification" in window)) return "unknown here";
  if (Notification.permission === "denied") return "blocked";
  const isOn = localStorage.getItem(KEPT_AS) === "on" && Notification.permission === "granted";
  return isOn ? "on" : "off";
}

/** Asks the browser, which asks the person the first time. */
export async function notifyMe(isWanted: boolean): Promise<void> {
  if (isWanted) await Notification.requestPermission();
  localStorage.setItem(KEPT_AS, isWanted ? "on" : "off");
  notifying.set(now());
}

/** How a loop stands when somebody wants to know. */
const NEWS: ReadonlySet<Health> = new Set(["waiting", "stuck", "undriven", "failed", "done"]);

/** Tells of loops that come to need a person or to their end, also while the page is not seen; until it is called off. */
export function notifyOfLoops(): () => void {
  const leave = keepEverywhere();
  let before = everywhere.get();
  const unsubscribe = everywhere.subscribe(() => {
    const after = everywhere.get();
    if (before.complete && before !== after) {
      for (const row of newsAmong(before, after)) show(row);
    }
    before = after;
  });
  return () => {
    unsubscribe();
    leave();
  };
}

function newsAmong(before: Loops, after: Loops): LoopRow[] {
  return [...after.rows.values()].filter((row) => {
    const was = before.rows.get(row.id);
    return was !== undefined && was !== row && was.health !== row.health && NEWS.has(row.health);
  });
}

function show(row: LoopRow): void {
  const notification = new Notification(`${HEALTH_WORDS[row.health].name}: ${row.title}`, {
    body: row.waits ?? rowStatus(row),
    // Other tabs tell of the same.
    tag: `${row.id} ${row.revision} ${row.health}`,
  });
  notification.onclick = () => {
    window.focus();
    goTo(placeOf(row.id).path);
    notification.close();
  };
}
