import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LiveEvent, LoopEvent, LoopState } from "@ccw-loop/core";
import { applyEvent, initialProgress, newFollowedLoop, type Progress } from "@ccw-loop/view";
import { firstModel } from "../../src/app/program.ts";
import { update } from "../../src/app/update.ts";
import type { Size } from "../../src/components/line.ts";
import type { Effect } from "../../src/model/effect.ts";
import { type Message, type Model, openedState } from "../../src/model/model.ts";
import { openLoop } from "../../src/screens/loop/navigation.ts";
import { listed } from "./listed.ts";

export const RECORDINGS = [
  "codex",
  "debugged",
  "menu",
  "no-progress",
  "objections",
  "out-of-iterations",
  "usage-limit",
] as const;
export type Recording = (typeof RECORDINGS)[number];

/** Everything that a real loop recorded and showed, in order. */
export function recording(name: Recording): LiveEvent[] {
  const file = join(import.meta.dirname, "..", "recorded", `${name}.jsonl`);
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LiveEvent);
}

/** A model that takes messages as the program does, and keeps what it was asked to do. */
export class Told {
  model: Model;
  readonly effects: Effect[] = [];

  constructor(size: Size, { drives = true } = {}) {
    const place = { name: "/repo/cart", drives };
    this.model = firstModel({ size, now: Date.parse("2026-01-22T10:00:00Z"), place, keys: {} });
  }

  tell(message: Message): this {
    const { model, effects = [] } = update(this.model, message);
    this.model = model;
    this.effects.push(...effects);
    return this;
  }

  /** These loops, and no others. */
  list(...states: LoopState[]): this {
    return this.tell(listed(states));
  }

  /** With that loop alone, which is looked at; what was asked for meanwhile is forgotten. */
  open(state: LoopState): this {
    const { loop_id: id } = state;
    this.list(state).press("enter");
    this.tell({ type: "opened", id, progress: initialProgress(state) });
    this.effects.length = 0;
    return this;
  }

  /** The loop that is looked at records this. */
  record(event: LoopEvent): this {
    const state = openedState(this.model);
    if (!state) throw new Error("No loop is looked at.");
    const recorded = { revision: (state.revision ?? 0) + 1, actor: "test", event };
    const events: LiveEvent[] = [{ kind: "recorded", id: state.loop_id, recorded }];
    return this.tell({ type: "happened", id: state.loop_id, events, leftOut: 0 });
  }

  press(...keys: string[]): this {
    for (const key of keys) {
      const text = [...key].length === 1 ? key : key === "space" ? " " : "";
      this.tell({ type: "key", press: { key, text } });
    }
    return this;
  }

  type(text: string): this {
    return this.press(...[...text].map((one) => (one === " " ? "space" : one)));
  }
}

/** Looks at a loop as it stood behind the first `count` of those events. */
export function looking(events: readonly LiveEvent[], size: Size, count = events.length): Told {
  const shown = events.slice(0, Math.max(1, count));
  const [first, ...rest] = shown;
  const progress = beginningOf(first);
  const { loop_id: id } = progress.state;
  const told = new Told(size);
  told.model = { ...openLoop(told.model, id).model, opened: newFollowedLoop(id) };
  told.tell({ type: "ticked", now: timeOf(shown.at(-1)) + 1500 });
  told.tell({ type: "opened", id, progress });
  if (rest.length > 0) told.tell({ type: "happened", id, events: rest, leftOut: 0 });
  return told;
}

/** The first place behind which a state is as wanted. */
export function whereState(events: readonly LiveEvent[], wanted: (state: LoopState) => boolean) {
  let progress = beginningOf(events[0]);
  const at = events.findIndex((event, i) => {
    if (i > 0) progress = applyEvent(progress, event);
    return wanted(progress.state);
  });
  if (at < 0) throw new Error("The recording never comes to such a state.");
  return at + 1;
}

function beginningOf(event: LiveEvent | undefined): Progress {
  if (event?.kind !== "recorded" || event.recorded.event.type !== "loop.created") {
    throw new Error("A recording begins with the creation of its loop.");
  }
  return initialProgress(event.recorded.event.loop);
}

function timeOf(event: LiveEvent | undefined): number {
  const at = event?.kind === "activity" ? event.activity.at : event?.recorded.event.at;
  return Date.parse(at ?? "2026-01-22T10:00:00Z");
}
