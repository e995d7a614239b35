import type { DiskCall } from "@ccw-loop/testkit";
import type { SimProcess } from "./sim-process.ts";

/** Instants in which something can be made to happen. */
export type Trigger =
  /** A commit is about to be written to a file of its own, about to get its number, or has got it and is about to be synced. */
  | "draft"
  | "link"
  | "sync"
  /** The published document is about to be replaced. */
  | "publish"
  /** An old revision is about to be let go of. */
  | "trim"
  /** A lease was given. */
  | "claim"
  /** An agent's session is being opened. */
  | "open"
  /** A turn, a test run or a probe begins. */
  | "work"
  /** The tests have passed; a run of them is on record. */
  | "passed"
  | "recorded";

/** Where it is: whose, and of which loop. */
export interface Place {
  process: SimProcess;
  loop: string;
}

/** Lets others act at the very instant at which something happens, once each. */
export class Triggers {
  readonly #waiting = new Map<
    Trigger,
    { act: (place: Place) => void; fits: (p: Place) => boolean }[]
  >();

  /** The next time that it comes at a place that fits. */
  once(
    trigger: Trigger,
    act: (place: Place) => void,
    fits: (place: Place) => boolean = () => true,
  ): void {
    const waiting = this.#waiting.get(trigger) ?? [];
    this.#waiting.set(trigger, waiting);
    waiting.push({ act, fits });
  }

  fire(trigger: Trigger, place: Place): void {
    const waiting = this.#waiting.get(trigger) ?? [];
    const due = waiting.filter(({ fits }) => fits(place));
    if (due.length === 0) return;
    this.#waiting.set(
      trigger,
      waiting.filter((one) => !due.includes(one)),
    );
    for (const { act } of due) act(place);
  }

  clear(): void {
    this.#waiting.clear();
  }
}

const IN_LOOP = /\.loop\/([^/]+?)\.(?:history|json)(?:\/|$)/;
const IN_EPOCH = /\.history\/epoch-(\d{10})\//;
const NUMBERED = /\.history\/\d{10}\.json$/;

/** Of which loop the files of a call are; empty for none. */
export function loopOf({ path }: DiskCall): string {
  return IN_LOOP.exec(path)?.[1] ?? "";
}

/** The epoch in whose folder the file that gets another name lay; undefined where it lay in none. */
export function epochOf({ from = "" }: DiskCall): number | undefined {
  const digits = IN_EPOCH.exec(from)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** What a call to the disk means for a loop; null for nothing that anybody waits for. */
export function triggerOf({ name, path, from = "" }: DiskCall): Trigger | null {
  const inHistory = path.includes(".history/");
  if (/^(over)?writeDurably$/i.test(name)) return inHistory ? "draft" : null;
  if (name === "link") return NUMBERED.test(path) ? "link" : null;
  if (name === "syncFolder") return path.endsWith(".history") ? "sync" : null;
  if (name === "replace") return /\.loop\/[^/]+\.json$/.test(path) ? "publish" : null;
  if (name === "rename") return NUMBERED.test(from) ? "trim" : null;
  return null;
}
